import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Dice } from '../../helpers/dice.ts';
import type { Command } from '../../helpers/start-command.ts';

/** What a program does to a file, or sends (`to`: `127.0.0.1:8080`). Only synced bytes outlive a power cut. */
export type TraceEvent =
  | { kind: 'write'; file: string; at: number | undefined; bytes: Buffer }
  | { kind: 'truncate'; file: string; size: number }
  | { kind: 'sync'; file: string }
  | { kind: 'delete'; file: string }
  | { kind: 'rename'; file: string; to: string }
  | { kind: 'send'; to: string; bytes: Buffer };

/** A disk that loses power when the test says so. */
export interface TracedDisk {
  apply(event: TraceEvent): void;
  /** Writes the folder as a power cut now may leave it: all synced bytes, and any part of the rest. */
  writeAfterCut(to: string, dice: Dice): void;
}

const CALLS = 'pwrite64,write,writev,sendto,sendmsg,ftruncate,fsync,fdatasync,unlink,rename';
/** Traces all threads, with times, file names and whole bytes. The tracer does not become the parent. */
const HOW = '-D -f --seccomp-bpf -ttt -T -yy -xx -s 100000000 -e signal=none'.split(' ');
/** A disk writes sectors of this many bytes, and any of them may be missing. */
const SECTOR = 512;
const NOTHING = Buffer.alloc(0);

/**
 * True if this machine can trace no program; then a line says why. With REQUIRE_SERVICES=1 a missing strace is an error.
 * A machine that forbids tracing is no error.
 */
export const withoutTrace = isMissing();

function isMissing(): boolean {
  const { error, status } = spawnSync('strace', ['-o', '/dev/null', 'true']);
  if (!error && status === 0) return false;
  const said = error ? 'There is no strace: apt-get install strace.' : 'No program can be traced here.';
  if (error && process.env.REQUIRE_SERVICES === '1') throw new Error(said);
  process.stderr.write(`Skipped: ${said}\n`);
  return true;
}

/** The same command, with its events written to a file. A kill works as before. */
export function traced(command: Command, file: string): Command {
  return ['strace', ...HOW, '-e', `trace=${CALLS}`, '-o', file, ...command];
}

/** The events of traced programs, in their order. A sync counts at its end, every other event at its beginning. */
export function readTraces(...files: string[]): TraceEvent[] {
  const timed = files.flatMap((file) => [...timedEvents(file)]);
  return timed.sort((one, other) => one.at - other.at).map(({ event }) => event);
}

/** `at`: seconds since 1970. */
function* timedEvents(file: string): Iterable<{ at: number; event: TraceEvent }> {
  const begun = new Map<string, string>();
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, thread = '', stamp = '', rest = ''] = /^(\d+) +(\d+\.\d+) (.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const [, said = '', , took = '0'] = /^(.*?)( <(\d+\.\d+)>)?$/s.exec(resumed?.[1] ?? rest) ?? [];
    const call = resumed ? `${begun.get(thread) ?? ''}${said}` : said.replace(/ <unfinished \.\.\.>$/, '');
    const isUnfinished = !resumed && call !== said;
    if (isUnfinished) begun.set(thread, call);
    const event = eventOf(call);
    const isSync = event?.kind === 'sync';
    const counts = isSync ? call.endsWith(' = 0') : !resumed;
    // The line of a resumed call already has the time of its end.
    if (event && counts) yield { at: Number(stamp) + (isSync && !resumed ? Number(took) : 0), event };
  }
}

function eventOf(call: string): TraceEvent | undefined {
  const [, name, on = '', rest = ''] = /^(\w+)\((?:\d+<(.*?)>(?=[,)]|$))?(.*)$/s.exec(call) ?? [];
  const file = unescaped(on).toString();
  const strings = () => [...rest.matchAll(/"((?:\\x\w\w)*)"/g)].map(([, text = '']) => unescaped(text));
  const bytes = () => Buffer.concat(strings());
  const to = /^TCP(?:v6)?:\[.*->(.*)\]$/.exec(file)?.[1];
  switch (name) {
    case 'pwrite64':
      return {
        kind: 'write',
        file,
        at: Number(/, (\d+)(?:\)|$)/.exec(rest.replace(/"[^"]*"/, ''))?.[1]),
        bytes: bytes(),
      };
    case 'ftruncate':
      return { kind: 'truncate', file, size: Number(/\d+/.exec(rest)?.[0]) };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', file };
    case 'unlink':
      return { kind: 'delete', file: bytes().toString() };
    case 'rename': {
      const [from = '', renamed = ''] = strings().map(String);
      return { kind: 'rename', file: from, to: renamed };
    }
    case 'write':
    case 'writev':
    case 'sendto':
    case 'sendmsg':
      if (to !== undefined) return { kind: 'send', to, bytes: bytes() };
      // Otherwise it is a pipe.
      return file.startsWith('/') ? { kind: 'write', file, at: undefined, bytes: bytes() } : undefined;
    default:
      return undefined;
  }
}

function unescaped(text: string): Buffer {
  return text.startsWith('\\x')
    ? Buffer.from(text.replaceAll('\\x', ''), 'hex')
    : Buffer.from(text, 'latin1');
}

/** The disk of a folder that is empty at first. A directory's entries count as synced. */
export function createTracedDisk(folder: string): TracedDisk {
  const synced = new Map<string, Buffer>();
  const waiting = new Map<string, TraceEvent[]>();

  function waitingOf(file: string): TraceEvent[] {
    const those = waiting.get(file) ?? [];
    waiting.set(file, those);
    return those;
  }

  return {
    apply(event) {
      if (event.kind === 'send') return;
      // A program may use a path within the folder.
      const file = resolve(folder, event.file);
      if (event.kind === 'sync') {
        // A directory has no bytes.
        if (!waiting.has(file)) return;
        synced.set(file, changed(synced.get(file) ?? NOTHING, waitingOf(file)));
        waiting.delete(file);
      } else if (event.kind === 'delete') {
        synced.delete(file);
        waiting.delete(file);
      } else if (event.kind === 'rename') {
        const renamed = resolve(folder, event.to);
        synced.set(renamed, synced.get(file) ?? NOTHING);
        waiting.set(renamed, waitingOf(file));
        synced.delete(file);
        waiting.delete(file);
      } else waitingOf(file).push(event);
    },
    writeAfterCut(to, dice) {
      rmSync(to, { recursive: true, force: true });
      mkdirSync(to);
      for (const file of new Set([...synced.keys(), ...waiting.keys()])) {
        if (!file.startsWith(`${folder}/`) || file.endsWith('-shm')) continue;
        const copy = join(to, file.slice(folder.length + 1));
        mkdirSync(dirname(copy), { recursive: true });
        writeFileSync(copy, changed(synced.get(file) ?? NOTHING, leftOf(waitingOf(file), dice)));
      }
    },
  };
}

/** A file after these events. */
function changed(before: Buffer, events: readonly TraceEvent[]): Buffer {
  let after = before;
  for (const event of events) {
    if (event.kind === 'truncate') after = resized(after, event.size);
    if (event.kind !== 'write') continue;
    const { at = after.length, bytes } = event;
    const end = at + bytes.length;
    // Many writes share one copy of the bytes.
    if (after === before || end > after.length) after = resized(after, Math.max(after.length, end));
    bytes.copy(after, at);
  }
  return after;
}

function resized(before: Buffer, size: number): Buffer {
  const after = Buffer.alloc(size);
  before.copy(after);
  return after;
}

/**
 * What a power cut leaves of events without a sync: of each, nothing, everything or some sectors. Bytes added at a file's
 * end are there up to some byte.
 */
function leftOf(events: readonly TraceEvent[], dice: Dice): TraceEvent[] {
  const left: TraceEvent[] = [];
  for (const event of events) {
    const odds = dice();
    if (event.kind === 'write' && event.at === undefined) {
      if (odds > 0.5) left.push(event);
      else return [...left, { ...event, bytes: event.bytes.subarray(0, event.bytes.length * dice()) }];
    } else if (odds > 0.7 && event.kind === 'write') left.push(...sectorsOf(event, dice));
    else if (odds > 0.4) left.push(event);
  }
  return left;
}

function sectorsOf({ file, at = 0, bytes }: TraceEvent & { kind: 'write' }, dice: Dice): TraceEvent[] {
  const sectors: TraceEvent[] = [];
  for (let from = 0; from < bytes.length; from += SECTOR) {
    const sector = bytes.subarray(from, from + SECTOR);
    if (dice() < 0.5) sectors.push({ kind: 'write', file, at: at + from, bytes: sector });
  }
  return sectors;
}
