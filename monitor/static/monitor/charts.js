// Draws each figure[data-chart] from its own table with Chart.js, in the colours of the style sheet. Without this file, or
// where the library is missing, the tables are there all the same.
(() => {
  "use strict";

  const drawn = new Map();
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  function read(figure) {
    const heads = [...figure.querySelectorAll("thead th")].slice(1);
    const rows = [...figure.querySelectorAll("tbody tr")];
    return {
      labels: rows.map((row) => label(row.querySelector("time"), figure.dataset.unit)),
      datasets: heads.map((head, place) => ({
        label: head.textContent,
        data: rows.map((row) => number(row.querySelectorAll("td")[place].textContent)),
        backgroundColor: colour(`${head.dataset.tone}-ink`),
        borderColor: colour(`${head.dataset.tone}-ink`),
        borderWidth: figure.dataset.chart === "line" ? 2 : 0,
        // A sample without neighbours is a point of its own.
        pointRadius: figure.dataset.chart === "line" ? 2 : 0,
        pointHitRadius: 12,
      })),
    };
  }

  const number = (text) => (text === "–" ? null : Number(text));

  function label(time, unit) {
    const at = new Date(time.dateTime);
    if (unit === "day") return at.toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
    return at.toLocaleString(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  }

  function options(series) {
    const [ink, line] = [colour("muted"), colour("line")];
    const ticks = { color: ink, maxRotation: 0, autoSkipPadding: 18, precision: 0 };
    return {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      plugins: { legend: { display: series > 1, labels: { color: ink, boxWidth: 12 } } },
      scales: {
        // Stacked along one axis alone, bars of one step lie over each other: the failed are part of the received.
        x: { stacked: true, grid: { display: false }, border: { color: line }, ticks },
        y: { beginAtZero: true, grid: { color: line }, border: { display: false }, ticks },
      },
    };
  }

  function draw(figure) {
    const canvas = figure.querySelector("canvas");
    if (!canvas) return;
    drawn.get(figure)?.destroy();
    const data = read(figure);
    canvas.parentElement.hidden = false;
    drawn.set(figure, new window.Chart(canvas, { type: figure.dataset.chart, data, options: options(data.datasets.length) }));
  }

  function forget() {
    for (const [figure, chart] of drawn) {
      if (figure.isConnected) continue;
      chart.destroy();
      drawn.delete(figure);
    }
  }

  function drawAll() {
    if (!window.Chart) return;
    forget();
    for (const figure of document.querySelectorAll("figure[data-chart]")) if (!drawn.has(figure)) draw(figure);
  }

  document.addEventListener("htmx:afterSwap", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const figure of drawn.keys()) draw(figure);
  });
  drawAll();
})();
