import { basename } from 'node:path';
import { type Room, reached } from './rooms.ts';

const ABOUT = `# Who may import what

An arrow means *imports*. A room is a folder or a file that [\`rooms.yaml\`](../rooms.yaml) lists. The pictures show what \`rooms.yaml\` allows.
They leave out an arrow if a path of other arrows leads to the same room. For the full list, see the room's line in that file.

\`npm run check\` enforces the rule: it runs \`test/rooms.test.ts\`, which takes about a second. \`npm run rooms\` draws this page again.
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
