// Live pages: ask for the page again every few seconds and swap the element #live; show how old it is; let people pause.
// Without this file the page is the same, and its link "Refresh" does the same by hand. Elements with data-live-part are
// asked for at their own pace (seconds) and share the pause.
(() => {
  "use strict";

  const EVERY = 10;
  const region = () => document.getElementById("live");
  if (!region() || !window.htmx) return;

  let paused = false;
  let failed = false;
  let swapped = Date.now();
  const asked = new Map();

  function paint() {
    const bar = region().querySelector("[data-live]");
    const seconds = Math.round((Date.now() - swapped) / 1000);
    const trouble = failed ? " The server does not answer." : "";
    bar.querySelector("[data-live-age]").textContent = `Updated ${seconds} s ago.${trouble}`;
    const button = bar.querySelector("[data-live-pause]");
    button.hidden = false;
    button.setAttribute("aria-pressed", String(paused));
    button.textContent = paused ? "Resume" : "Pause";
  }

  // What a person reads or fills in must not be swapped away; a page in the background is not looked at.
  function inUse(part) {
    return part.querySelector("details[open]") || part.querySelector("input:focus, select:focus, textarea:focus");
  }

  function ask(part, every) {
    const last = asked.get(part.id) ?? swapped;
    if (Date.now() - last < every * 1000 || inUse(part)) return;
    asked.set(part.id, Date.now());
    window.htmx.trigger(part, "refresh");
  }

  function askAll() {
    if (paused || document.hidden) return;
    ask(region(), Number(region().dataset.liveEvery || EVERY));
    for (const part of document.querySelectorAll("[data-live-part]")) ask(part, Number(part.dataset.livePart));
  }

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-live-pause]")) return;
    paused = !paused;
    paint();
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    // The answer is the login page when the session has ended: then show that page whole.
    if (xhr.responseURL && new URL(xhr.responseURL).pathname !== new URL(requestConfig.path, location.href).pathname) {
      event.detail.shouldSwap = false;
      location.reload();
    }
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    failed = false;
    if (event.detail.target.id === "live") swapped = Date.now();
    paint();
  });

  for (const trouble of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(trouble, () => {
      failed = true;
      paint();
    });
  }

  setInterval(() => {
    askAll();
    paint();
  }, 1000);
  paint();
})();
