/* Boards: one frame at a time, a slider, tiles that move to where they are next, links to a frame. */
kassay.board = (board) => {
  const frames = [...board.querySelectorAll(":scope > .frame")], controls = board.querySelector(".controls");
  let at = Number(board.dataset.opens), player = 0;
  board.classList.add("live");
  frames[at].classList.add("shown");
  if (!controls) { return; }
  const slider = controls.querySelector("input"), status = controls.querySelector("[role=status]");
  const [back, on, play] = ["back", "on", "play"].map((name) => controls.querySelector("." + name));
  const ticks = [...controls.querySelectorAll(".ticks a")];
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  const places = (frame) => {
    const rectangles = new Map();
    for (const tile of frame.querySelectorAll(":scope > .tables > .lanes td.given [data-t]")) {
      if (!rectangles.has(tile.dataset.t)) { rectangles.set(tile.dataset.t, tile.getBoundingClientRect()); }
    }
    return rectangles;
  };
  const move = (before, frame) => {
    for (const tile of frame.querySelectorAll(":scope > .tables > .lanes td.given [data-t]")) {
      const from = before.get(tile.dataset.t), to = tile.getBoundingClientRect();
      if (!from) {
        tile.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 500 });
      } else if (Math.abs(from.x - to.x) > 1 || Math.abs(from.y - to.y) > 1) {
        const shift = `translate(${from.x - to.x}px, ${from.y - to.y}px)`;
        tile.animate([{ transform: shift }, { transform: "none" }], { duration: 700, easing: "ease-in-out" });
      }
    }
  };
  const mark = () => {
    slider.value = at;
    slider.setAttribute("aria-valuetext", frames[at].dataset.title);
    back.disabled = at === 0;
    on.disabled = at === frames.length - 1;
    ticks.forEach((tick, place) => {
      if (place === at) { tick.setAttribute("aria-current", "step"); } else { tick.removeAttribute("aria-current"); }
    });
  };
  const show = (place) => {
    const next = Math.max(0, Math.min(frames.length - 1, place));
    if (next === at) { return; }
    const before = places(frames[at]);
    frames[at].classList.remove("shown");
    at = next;
    frames[at].classList.add("shown");
    if (!still.matches) { move(before, frames[at]); }
    mark();
    status.textContent = frames[at].dataset.title;
  };
  const stop = () => {
    clearInterval(player);
    player = 0;
    play.textContent = "Play";
  };
  const step = (by) => { stop(); show(at + by); };
  back.addEventListener("click", () => step(-1));
  on.addEventListener("click", () => step(1));
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  play.addEventListener("click", () => {
    if (player) { stop(); return; }
    show(at === frames.length - 1 ? 0 : at + 1);
    play.textContent = "Stop";
    player = setInterval(() => { if (at === frames.length - 1) { stop(); } else { show(at + 1); } }, 1600);
  });
  controls.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -frames.length, End: frames.length }[event.key];
    if (by && event.target !== slider) { event.preventDefault(); step(by); }
  });
  board.addEventListener("kassay-show", (event) => {
    stop();
    show(frames.indexOf(event.target));
  });
  ticks.forEach((tick, place) => tick.addEventListener("click", (event) => {
    event.preventDefault();
    history.pushState(null, "", tick.hash);
    step(place - at);
  }));
  controls.hidden = false;
  mark();
};
kassay.ready.push((root) => {
  for (const board of root.querySelectorAll(".board")) { kassay.board(board); }
});
