// The assignor of fair.py as a Node.js program.
//
//     kassay certify "exec:node examples/exec/fair.mjs"

import { createInterface } from "node:readline";

const hello = { name: "fair-js", claims: ["deterministic", "order-independent"] };

function assign(partitionsPerTopic, members) {
  const given = Object.fromEntries(members.map((member) => [member.id, []]));
  for (const topic of Object.keys(partitionsPerTopic).sort()) {
    const readers = members.filter((member) => member.topics.includes(topic)).map((member) => member.id).sort();
    for (let partition = 0; readers.length && partition < partitionsPerTopic[topic]; partition++) {
      const least = readers.reduce((a, b) => (given[b].length < given[a].length ? b : a));
      given[least].push([topic, partition]);
    }
  }
  return given;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, partitions_per_topic, members } = JSON.parse(line);
  const answer = call === "hello" ? hello : assign(partitions_per_topic, members);
  process.stdout.write(JSON.stringify({ id, answer }) + "\n");
}
