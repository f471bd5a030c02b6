// Live pages: ask for the page again every few seconds and swap the element #live; show how old it is; let people pause.
// Without this file the page is the same, and its link "Refresh" does the same by hand.
(() => {
  "use strict";

  const EVERY = 10;
  const region = () => document.getElementById("live");
  if (!region() || !window.htmx) return;

  let paused = false;
  let failed = false;
  let swapped = Date.now();
  let asked = swapped;

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

  // A page in the background is not looked at, an open <details> is being read: neither is worth a request.
  function wanted() {
    const reading = region().querySelector("details[open]");
    return !paused && !document.hidden && !reading && Date.now() - asked >= EVERY * 1000;
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

  document.addEventListener("htmx:afterSwap", () => {
    failed = false;
    swapped = Date.now();
    paint();
  });

  for (const trouble of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(trouble, () => {
      failed = true;
      paint();
    });
  }

  setInterval(() => {
    if (wanted()) {
      asked = Date.now();
      window.htmx.trigger(region(), "refresh");
    }
    paint();
  }, 1000);
  paint();
})();
