/* The filter of an index: shows the entries that have all its words, and what they lead to. */
kassay.index = (nav) => {
  const filter = nav.querySelector(".filter"), status = nav.querySelector("[role=status]"), all = status.textContent;
  const led = new Map();
  for (const room of document.querySelectorAll("[data-entry]")) {
    led.set(room.dataset.entry, [...(led.get(room.dataset.entry) || []), room]);
  }
  const entries = [...nav.querySelectorAll("li")].map((item) => ({
    item, text: item.textContent.toLowerCase(), rooms: led.get(item.querySelector("a").hash.slice(1)) || [],
  }));
  nav.classList.add("live");
  filter.hidden = false;
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { item, text, rooms } of entries) {
      const hidden = !words.every((word) => text.includes(word));
      shown += hidden ? 0 : 1;
      item.hidden = hidden;
      for (const room of rooms) { room.hidden = hidden; }
    }
    status.textContent = words.length ? `${shown} of ${all}` : all;
  });
};
kassay.ready.push((root) => { for (const nav of root.querySelectorAll(".index")) { kassay.index(nav); } });
