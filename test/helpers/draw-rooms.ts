import { basename } from 'node:path';
import { type Room, reached } from './rooms.ts';

const ABOUT = `# Who may import what

An arrow means *imports*. The pictures show what [\`rooms.yaml\`](../rooms.yaml) allows. If other arrows lead to the same room, they leave an
arrow out: a room's line in the file lists everything that it may import.

\`npm run check\` holds the rule: it runs \`test/rooms.test.ts\`, which takes about a second. \`npm run rooms\` draws this page again.
`;

/** The page with a picture of all rooms, and one of each room that has parts. */
export function drawRooms(rooms: Room[]): string {
  const groups = Map.groupBy(rooms, ({ outer }) => outer);
  const pictures = [...groups].map(
    ([outer, group]) =>
      `## ${outer === undefined ? 'All rooms' : `Within \`${outer}\``}\n\n${picture(group)}`,
  );
  return [ABOUT, ...pictures].join('\n');
}

function picture(rooms: Room[]): string {
  const lines = rooms.flatMap(({ path, lists }) => {
    const listed = lists.filter((one) => rooms.some((room) => room.path === one));
    const direct = listed.filter((one) => !listed.some((other) => reached(rooms, other).has(one)));
    return direct.length > 0
      ? `  ${basename(path)} --> ${direct.map((one) => basename(one)).join(' & ')}`
      : [];
  });
  return ['```mermaid', 'flowchart TD', ...lines, '```', ''].join('\n');
}
