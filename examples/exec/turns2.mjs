// An assignor in Node.js with state, in version 2 of the exec protocol: assigns partitions in turn, starting with the
// member that had the fewest last time.
//
//     kassay certify "exec:node examples/exec/turns2.mjs"

import { createInterface } from "node:readline";

const hello = { name: "turns2-js", kassay: 2, supports: ["new", "user_data", "on_assignment", "drop", "batch"] };
const objects = new Map();

const calls = {
  hello: () => hello,
  new: ({ object }) => void objects.set(object, { had: 0 }) ?? {},
  drop: ({ objects: gone }) => (gone.forEach((number) => objects.delete(number)), null),
  user_data: ({ object }) => Buffer.from(String(objects.get(object).had)).toString("base64"),
  on_assignment: ({ object, partitions }) => ((objects.get(object).had = partitions.length), null),
  assign({ partitions_per_topic: topics, members }) {
    const had = Object.fromEntries(members.map((member) => [member.id, Number(Buffer.from(member.user_data, "base64"))]));
    const ids = members.map((member) => member.id).sort((a, b) => had[a] - had[b] || (a < b ? -1 : 1));
    const given = Object.fromEntries(ids.map((id) => [id, []]));
    for (const topic of Object.keys(topics).sort()) {
      const readers = ids.filter((id) => members.find((member) => member.id === id).topics.includes(topic));
      for (let partition = 0; readers.length && partition < topics[topic]; partition++)
        given[readers[partition % readers.length]].push([topic, partition]);
    }
    return given;
  },
};

function handle(id, request) {
  if (request.call === "batch") return request.requests.forEach((each) => handle(id, each));
  let reply;
  try {
    reply = { answer: calls[request.call](request) };
  } catch (error) {
    reply = { error: `${error.name}: ${error.message}` };
  }
  process.stdout.write(JSON.stringify({ id, ...reply }) + "\n");
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  handle(request.id, request);
}
