/* Runs: a slider that shows the state after a step; `#trace-1/step-7`, or `#step-7` of the first run, opens one. */
kassay.run = (box) => {
  const slider = box.querySelector("input[type=range]"), said = box.querySelector(".said");
  const states = [...box.querySelectorAll("[data-at]")], rows = [...box.querySelectorAll("[data-step]")];
  const choose = (number) => {
    const step = Math.min(Math.max(number, 0), states.length - 1);
    slider.value = step;
    for (const each of states) { each.hidden = Number(each.dataset.at) !== step; }
    for (const row of rows) { row.classList.toggle("on", Number(row.dataset.step) === step); }
    said.textContent = `${states[step].querySelector(".title").textContent}; ${step} of ${states.length - 1}`;
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  const follow = () => {
    const [, name, step] = decodeURIComponent(location.hash).match(/^#(?:(.+)\/)?step-(\d+)$/) || [];
    const first = document.querySelector(".run") === box;
    if (step !== undefined && (name === box.dataset.name || (name === undefined && first))) { choose(Number(step)); }
  };
  box.querySelector(".slide").hidden = false;
  slider.addEventListener("input", () => choose(Number(slider.value)));
  for (const button of box.querySelectorAll("[data-move]")) {
    button.addEventListener("click", () => choose(Number(slider.value) + Number(button.dataset.move)));
  }
  addEventListener("hashchange", follow);
  choose(Number(slider.value));
  follow();
};
kassay.ready.push((root) => { for (const box of root.querySelectorAll(".run")) { kassay.run(box); } });
