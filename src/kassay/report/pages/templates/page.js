"use strict";
/* What every page does: copies, opens what a link leads into, and unfolds for print. */
const kassay = { ready: [] };

kassay.copy = (button) => {
  const box = button.closest(".copyable"), code = box.querySelector("code"), status = box.querySelector("[role=status]");
  const label = button.textContent;
  const say = (word) => {
    button.textContent = word;
    status.textContent = word;
    setTimeout(() => { button.textContent = label; status.textContent = ""; }, 2000);
  };
  const select = () => {
    getSelection().selectAllChildren(code);
    say(document.execCommand("copy") ? "Copied" : "Selected");
  };
  if (navigator.clipboard) {
    navigator.clipboard.writeText(code.textContent).then(() => say("Copied"), select);
  } else {
    select();
  }
};

/* Sets a piece of the page going; for what is put in later, too. */
kassay.start = (root) => {
  for (const button of root.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", () => kassay.copy(button));
  }
  for (const step of kassay.ready) { step(root); }
  kassay.widths();
};

/* Marks what is wider than its place, so that it shows that it scrolls. */
kassay.widths = () => {
  for (const box of document.querySelectorAll(".scroll")) { box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1); }
};

/* Opens every fold, and the frame of a board, around what the address names, and goes there. */
kassay.follow = () => {
  let name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { return; }
  const place = document.getElementById(name);
  if (!place) { return; }
  place.closest("[data-entry]")?.removeAttribute("hidden");
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) { fold.open = true; }
  place.dispatchEvent(new Event("kassay-show", { bubbles: true }));
  (place.closest(".board") || place).scrollIntoView();
};

addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details:not([open]):not([data-piece])")) { fold.dataset.folded = ""; fold.open = true; }
});
addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-folded]")) { fold.open = false; delete fold.dataset.folded; }
});
addEventListener("DOMContentLoaded", () => {
  kassay.start(document);
  kassay.follow();
  addEventListener("hashchange", kassay.follow);
  addEventListener("resize", kassay.widths);
  document.addEventListener("toggle", kassay.widths, true);
});
