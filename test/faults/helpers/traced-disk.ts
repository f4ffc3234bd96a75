import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Dice } from '../../helpers/dice.ts';
import type { Command } from '../../helpers/start-command.ts';

/** What a program does to a file, or sends to somebody (`to`: `127.0.0.1:8080`). Only what is synced outlives a power cut. */
export type TraceEvent =
  | { kind: 'write'; file: string; at: number | undefined; bytes: Buffer }
  | { kind: 'truncate'; file: string; size: number }
  | { kind: 'sync'; file: string }
  | { kind: 'delete'; file: string }
  | { kind: 'send'; to: string; bytes: Buffer };

/** A disk that loses power when asked. */
export interface TracedDisk {
  apply(event: TraceEvent): void;
  /** Writes the files of a folder as they may be after a power cut now: what was synced, and any part of the rest. */
  writeAfterCut(of: string, to: string, dice: Dice): void;
}

const CALLS = 'pwrite64,write,writev,sendto,sendmsg,ftruncate,fsync,fdatasync,unlink';
/** A disk writes sectors of so many bytes: any of them may be missing. */
const SECTOR = 512;
const NOTHING = Buffer.alloc(0);

/**
 * Whether no program can be traced here; then it is said why. With REQUIRE_SERVICES=1 a missing strace is an error. A
 * machine where nobody may trace is none.
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

/** The same command, whose events are written to a file. The tracer is no parent of it: it can be killed as before. */
export function traced(command: Command, file: string): Command {
  const how = ['-D', '-f', '--seccomp-bpf', '-yy', '-xx', '-s', '100000000', '-e', 'signal=none'];
  return ['strace', ...how, '-e', `trace=${CALLS}`, '-o', file, ...command];
}

/** The events in such a file, in their order. A sync counts when it is done, all else when it begins. */
export function* readTrace(file: string): Iterable<TraceEvent> {
  const begun = new Map<string, string>();
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const call = resumed
      ? `${begun.get(thread) ?? ''}${resumed[1]}`
      : rest.replace(/ <unfinished \.\.\.>$/, '');
    const isUnfinished = call !== rest && !resumed;
    if (isUnfinished) begun.set(thread, call);
    const event = eventOf(call);
    const counts = event?.kind === 'sync' ? !isUnfinished && call.endsWith(' = 0') : !resumed;
    if (event && counts) yield event;
  }
}

function eventOf(call: string): TraceEvent | undefined {
  const [, name, on = '', rest = ''] = /^(\w+)\((?:\d+<(.*?)>(?=[,)]|$))?(.*)$/s.exec(call) ?? [];
  const file = unescaped(on).toString();
  const bytes = () =>
    Buffer.concat([...rest.matchAll(/"((?:\\x\w\w)*)"/g)].map(([, text = '']) => unescaped(text)));
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
    case 'write':
    case 'writev':
    case 'sendto':
    case 'sendmsg':
      return to === undefined
        ? { kind: 'write', file, at: undefined, bytes: bytes() }
        : { kind: 'send', to, bytes: bytes() };
    default:
      return undefined;
  }
}

function unescaped(text: string): Buffer {
  return text.startsWith('\\x')
    ? Buffer.from(text.replaceAll('\\x', ''), 'hex')
    : Buffer.from(text, 'latin1');
}

/** An empty disk. What a file's directory says of it is taken for synced. */
export function createTracedDisk(): TracedDisk {
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
      const { file } = event;
      if (event.kind === 'sync') {
        synced.set(file, changed(synced.get(file) ?? NOTHING, waitingOf(file)));
        waiting.delete(file);
      } else if (event.kind === 'delete') {
        synced.delete(file);
        waiting.delete(file);
      } else waitingOf(file).push(event);
    },
    writeAfterCut(of, to, dice) {
      rmSync(to, { recursive: true, force: true });
      mkdirSync(to);
      for (const file of new Set([...synced.keys(), ...waiting.keys()])) {
        if (dirname(file) !== of || file.endsWith('-shm')) continue;
        const kept = waitingOf(file).flatMap((event) => partOf(event, dice));
        writeFileSync(join(to, basename(file)), changed(synced.get(file) ?? NOTHING, kept));
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
    // One copy holds for many writes.
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

/** What a power cut leaves of an event that was not synced: none of it, all of it, or some sectors of a write. */
function partOf(event: TraceEvent, dice: Dice): TraceEvent[] {
  const odds = dice();
  if (odds < 0.4) return [];
  if (odds < 0.7 || event.kind !== 'write') return [event];
  const { file, at, bytes } = event;
  const parts: TraceEvent[] = [];
  for (let from = 0; from < bytes.length; from += SECTOR) {
    if (at === undefined || dice() < 0.5) continue;
    parts.push({ kind: 'write', file, at: at + from, bytes: bytes.subarray(from, from + SECTOR) });
  }
  return parts;
}
