// Instants in the viewer's own time zone, on hover; what the server wrote (UTC) stays for those without this file.
(() => {
  "use strict";

  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

  function paint(root) {
    for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
      time.dataset.local = "";
      time.title = `${local.format(new Date(time.dateTime))} (${time.title})`;
    }
  }

  document.addEventListener("htmx:afterSwap", () => paint(document));
  paint(document);
})();
