// Boxes that scroll fade where they go on: below, to the right, or both.
"use strict";
globalThis.coterie ??= {};

coterie.scrollCue = (() => {
  const BOXES = ".cards, .scroll, .meters, .chips";
  const NEARLY = 4; // pixels that need no scrolling

  function mark(box) {
    box.classList.toggle("has-more-below", box.scrollHeight - box.scrollTop - box.clientHeight > NEARLY);
    box.classList.toggle("has-more-right", box.scrollWidth - box.scrollLeft - box.clientWidth > NEARLY);
  }

  function bind() {
    const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));
    for (const box of document.querySelectorAll(BOXES)) {
      box.addEventListener("scroll", () => mark(box), { passive: true });
      observer.observe(box);
    }
  }

  return { bind };
})();
