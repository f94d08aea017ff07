/* Pieces that are unpacked when their fold is opened: `data-piece="3/12"` is piece 12 of the template `parcel-3`. */
kassay.parcels = new Map();
kassay.parcel = (name) => {
  if (!kassay.parcels.has(name)) {
    const text = document.getElementById(`parcel-${name}`).content.textContent.trim();
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    kassay.parcels.set(name, new Response(plain).json());
  }
  return kassay.parcels.get(name);
};
kassay.unpack = async (fold) => {
  const [name, place] = fold.dataset.piece.split("/");
  const room = document.createElement("div");
  room.className = "room";
  room.textContent = "Opening the board…";
  fold.append(room);
  delete fold.dataset.piece;
  try {
    const pieces = await kassay.parcel(name);
    const body = new DOMParser().parseFromString(pieces[Number(place)], "text/html").body;
    room.replaceChildren(...body.children);
    kassay.start(room);
  } catch (error) {
    room.textContent = `This browser cannot unpack the board (${error.message}); the command above saves its trace.`;
  }
};
kassay.ready.push((root) => {
  for (const fold of root.querySelectorAll("details[data-piece]")) {
    fold.addEventListener("toggle", () => { if (fold.open && fold.dataset.piece) { kassay.unpack(fold); } });
  }
});
