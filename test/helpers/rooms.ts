import { join } from 'node:path';
import type { Import } from './all-imports.ts';

/** A folder or a file, and what it may import. All paths are from the root of the repository. */
export interface Room {
  path: string;
  /** The path of the outer room, if there is one. */
  outer: string | undefined;
  /** The paths of rooms and the names of libraries that it may import. */
  lists: string[];
}

/** The name in the list of a room that may import everything. */
const ANYTHING = 'anything';

/**
 * Reads rooms.yaml: for each folder its rooms, and the names that each of them lists. A name belongs to a room
 * beside the one that lists it, or else to a library.
 */
export function readRooms(table: { [folder: string]: { [name: string]: string[] } }): Room[] {
  const lines = Object.entries(table).flatMap(([folder, rooms]) =>
    Object.entries(rooms).map(([name, names]) => ({ folder, name, path: join(folder, name), names })),
  );
  const outerOf = (folder: string) => lines.find(({ path }) => path === folder)?.path;
  return lines.map(({ folder, path, names }) => {
    const outer = outerOf(folder);
    const beside = lines.filter((other) => outerOf(other.folder) === outer);
    return {
      path,
      outer,
      lists: names.map((name) => beside.find((other) => other.name === name)?.path ?? name),
    };
  });
}

const isIn = (target: string, place: string) => target === place || target.startsWith(`${place}/`);

/** A file's innermost room. */
const roomOf = (rooms: Room[], file: string) =>
  rooms
    .filter(({ path }) => isIn(file, path))
    .sort((one, other) => one.path.length - other.path.length)
    .at(-1);

/** The libraries that only the rooms which list them may import. */
export const keptLibraries = (rooms: Room[]): string[] =>
  rooms
    .flatMap(({ lists }) => lists)
    .filter((one) => one !== ANYTHING && !rooms.some(({ path }) => path === one));

/** The paths of the rooms that arrows lead to from a room. */
export function reached(rooms: Room[], from: string, found: Set<string> = new Set()): Set<string> {
  for (const next of rooms.find(({ path }) => path === from)?.lists ?? []) {
    if (found.has(next)) continue;
    found.add(next);
    reached(rooms, next, found);
  }
  return found;
}

/** Files without a room: outside all rooms, or in a folder without a line beside folders that have one. */
export function unplaced(rooms: Room[], files: string[]): string[] {
  return files.filter((file) => {
    const room = roomOf(rooms, file);
    const isParted = rooms.some(({ outer }) => outer === room?.path);
    return !room || (isParted && file.slice(room.path.length + 1).includes('/'));
  });
}

/** The imports that no room allows, and the names in rooms that no import needs. */
export function judge(rooms: Room[], imports: Import[]): { refused: string[]; unneeded: string[] } {
  const kept = keptLibraries(rooms);
  const arrows = rooms.flatMap(({ path, lists }) => lists.map((to) => ({ from: path, to })));
  const needed = new Set<(typeof arrows)[number]>();
  const refused = imports.filter(({ file, target, isOurs }) => {
    const room = roomOf(rooms, file);
    if (isOurs && room && isIn(target, room.path)) return false;
    if (!isOurs && !kept.some((library) => isIn(target, library))) return false;
    const arrow = arrows.find(({ from, to }) => isIn(file, from) && (to === ANYTHING || isIn(target, to)));
    if (arrow) needed.add(arrow);
    return !arrow;
  });
  return {
    refused: refused.map(({ file, target }) => `${file}: ${target}`),
    unneeded: arrows.filter((arrow) => !needed.has(arrow)).map(({ from, to }) => `${from}: ${to}`),
  };
}
