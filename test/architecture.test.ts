import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settleBulk } from '../src/core/dispatch/settle-bulk.ts';
import { settleSingle } from '../src/core/dispatch/settlement.ts';
import type {
  ChunkRecord,
  ChunkState,
  LedgerMessage,
  SendRecord,
  SendState,
  Settlement,
} from '../src/ledger/ledger.ts';
import { applySettlement } from '../src/ledger/transitions.ts';
import { isThere, namesIn, read, rowsBelow } from './helpers/documents.ts';
import { importsOf } from './helpers/imports.ts';

const page = read('docs/architecture.md');

/** The lines of the diagram below a heading. */
function diagram(heading: string): string[] {
  const section = page.split(`## ${heading}\n`)[1] ?? '';
  const drawn = section.split('```mermaid\n')[1]?.split('\n```')[0] ?? '';
  return drawn.split('\n').map((line) => line.trim());
}

describe('the parts', () => {
  const lines = diagram('The parts');
  const labels = new Map(
    lines.flatMap((line) =>
      [...line.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id = '', label = '']) => [id, label] as const),
    ),
  );
  const partOf = (id = '') => labels.get(id) ?? id;
  const arrows = lines.flatMap((line) => {
    const [, from, to] = /^(\w+)(?:\[[^\]]*\])? --> (\w+)/.exec(line) ?? [];
    return from === undefined ? [] : [{ from: partOf(from), to: partOf(to) }];
  });
  const parts = [...labels.values()];

  /** All parts along the arrows. */
  function reachedFrom(part: string): string[] {
    const next = arrows.filter(({ from }) => from === part).map(({ to }) => to);
    return [...new Set([...next, ...next.flatMap(reachedFrom)])];
  }

  /** What each part imports of the others. */
  const imports = [...importsOf('src'), ...importsOf('local')].flatMap(({ file, imported }) => {
    const isOurs = imported.startsWith('.');
    const path = isOurs ? join(file, '..', imported) : `packages/${imported}/`;
    const nameOf = (one: string) =>
      parts.find((part) => [part, `src/${part}`].some((is) => one === is || one.startsWith(`${is}/`)));
    const [from, to] = [nameOf(file), nameOf(path)];
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });

  it('are all there', () => {
    const folders = namesIn('src').filter((name) => !name.includes('.'));
    const packages = namesIn('packages').map((name) => `packages/${name}`);
    const files = ['main.ts', 'bot.ts', 'admin.ts'];
    expect(parts.sort()).toEqual([...folders, ...packages, ...files, 'local'].sort());
    for (const file of files) expect(isThere(`src/${file}`)).toBe(true);
  });

  it.each(arrows)('$from imports $to', (arrow) => {
    expect(imports).toContainEqual(arrow);
  });

  it('import nothing but what lies along their arrows', () => {
    expect(imports.filter(({ from, to }) => !reachedFrom(from).includes(to))).toEqual([]);
  });

  it.each([
    ['core', 'part'],
    ['slack', 'folder'],
  ])('of %s are those of the table', (part, title) => {
    const table = page.split(`| ${title} | what is in it |\n`)[1]?.split('\n\n')[0] ?? '';
    const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const folders = namesIn(`src/${part}`).filter((name) => !name.includes('.'));
    expect(named.sort()).toEqual(folders.sort());
  });
});

describe('a send', () => {
  const lines = diagram('A send');
  const files = new Map(
    lines.flatMap((line) => {
      const [, id = '', file = ''] = /^participant (\w+) as (\S+)$/.exec(line) ?? [];
      return id === '' ? [] : [[id, `src/${file}`] as const];
    }),
  );
  const calls = lines.flatMap((line) => {
    const [, from = '', to = '', called = ''] = /^(\w+)->>(\w+): (\w+)/.exec(line) ?? [];
    const file = files.get(to);
    return file === undefined || !files.has(from) ? [] : [{ file, called }];
  });

  it('goes through files that exist', () => {
    expect(files.size).toBeGreaterThan(5);
    expect([...files.values()].filter((file) => !isThere(file))).toEqual([]);
  });

  it.each(calls)('$file has $called', ({ file, called }) => {
    expect(read(file)).toMatch(new RegExp(`\\b${called}\\b`));
  });
});

const SEND_STATES = {
  draft: true,
  running: true,
  paused: true,
  finished: true,
  stopped: true,
  cancelled: true,
  superseded: true,
  expired: true,
} satisfies { [state in SendState]: true };

const CHUNK_STATES = {
  pending: true,
  sending: true,
  sent: true,
  rejected: true,
  not_sent: true,
  unknown: true,
  cancelled: true,
  split: true,
} satisfies { [state in ChunkState]: true };

/** The arrows of a diagram of states, with what leads along each. */
function transitions(heading: string) {
  return diagram(heading).flatMap((line) => {
    const [, from = '', to = '', by = ''] = /^(\S+) --> (\w+)(?:: (.*))?$/.exec(line) ?? [];
    return from === '' ? [] : [{ from, to, by: by.replace(/ \([^)]*\)/g, '').split(', ') }];
  });
}

describe.each([
  ['States of a send', SEND_STATES],
  ['States of a chunk', CHUNK_STATES],
])('%s', (heading, states) => {
  const arrows = transitions(heading);

  it('are those of the ledger', () => {
    const named = arrows.flatMap(({ from, to }) => [from, to]).filter((state) => state !== '[*]');
    expect([...new Set(named)].sort()).toEqual(Object.keys(states).sort());
  });

  it('change by what the ledger can do', () => {
    const port = read('src/ledger/ledger.ts').split('export interface Ledger {')[1] ?? '';
    const methods = [...port.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    const named = arrows.flatMap(({ by }) => by).filter((name) => name !== '' && name !== 'late answer');
    expect(named.filter((name) => !methods.includes(name))).toEqual([]);
  });
});

const MESSAGES: LedgerMessage[] = [
  { phone: '442079460001', text: 'Hello' },
  { phone: '442079460002', text: 'Hello' },
];

function aSend(over: Partial<SendRecord> = {}): SendRecord {
  const about = { id: 's', team: 'T1', place: 'C1', instance: 'i', details: {}, topics: [] };
  return {
    ...about,
    kind: 'job',
    state: 'running',
    createdAt: 0,
    expiresAt: 1,
    inFlightLimit: 8,
    unknownRun: 0,
    ...over,
  };
}

function aChunk(over: Partial<ChunkRecord> = {}): ChunkRecord {
  return {
    send: 's',
    index: 0,
    state: 'sending',
    messages: MESSAGES,
    attempt: 1,
    token: 't',
    refusals: 0,
    ...over,
  };
}

describe('what an answer makes of a chunk', () => {
  const receipt = { creditsUsed: 2, creditsRemaining: 8 };
  const back: Settlement = { to: 'pending', request: 'never_started', waitMs: 0 };
  const settlements: Settlement[] = [
    { to: 'sent', request: 'answered', receipt, result: {} },
    { to: 'rejected', request: 'answered', result: {} },
    { to: 'not_sent', request: 'never_started', result: {} },
    { to: 'unknown', request: 'unanswered', result: {} },
    back,
    {
      to: 'split',
      request: 'answered',
      children: MESSAGES.map((one) => [one]),
      mostRequests: 40,
      otherwise: back,
    },
    {
      to: 'parted',
      request: 'answered',
      receipt,
      parts: [{ state: 'sent', messages: MESSAGES, result: {} }],
    },
  ];

  it('is what the diagram says, and nothing else', () => {
    const found = new Set<string>();
    for (const from of Object.keys(CHUNK_STATES) as ChunkState[]) {
      for (const send of (['running', 'paused', 'stopped'] as const).map((state) => aSend({ state }))) {
        for (const settlement of settlements) {
          const family = { requests: 1, open: 0 };
          const applied = applySettlement(send, aChunk({ state: from }), settlement, {
            token: 't',
            now: 1,
            family,
          });
          if (applied && applied.chunk.state !== from) found.add(`${from} → ${applied.chunk.state}`);
        }
      }
    }
    const drawn = transitions('States of a chunk').filter(
      ({ by }) => by.includes('settle') || by.includes('late answer'),
    );
    expect([...found].sort()).toEqual(drawn.map(({ from, to }) => `${from} → ${to}`).sort());
  });
});

describe('what each answer means', () => {
  const words = { code: 'CODE', message: 'Words.' };
  const refused = (reason: 'key' | 'credits' | 'validation' | 'other') =>
    ({ outcome: 'refused', status: 400, reason, ...words }) as const;
  const accepted = (listed: LedgerMessage[]) => ({
    outcome: 'accepted' as const,
    data: {
      messages_sent: listed.length,
      credits_used: listed.length,
      credits_remaining: 8,
      messages: listed.map(({ phone }, index) => ({ message_id: index, phone, status: 'sent' })),
    },
  });
  const others = {
    '`refused` key': refused('key'),
    '`refused` credits': refused('credits'),
    '`refused` validation': refused('validation'),
    '`refused` other': refused('other'),
    '`rate_limited`': { outcome: 'rate_limited' },
    '`rate_limited` thrice': { outcome: 'rate_limited' },
    '`not_started`': { outcome: 'not_started', cause: 'refused' },
    '`unknown`': { outcome: 'unknown', cause: 'timeout' },
    '`forbidden`': { outcome: 'forbidden', ...words },
  } as const;
  const rows = rowsBelow(page, '## What each answer means');

  /** In the words of the table. */
  function inWords(settlement: Settlement): string {
    const to = settlement.to === 'parted' ? 'split' : settlement.to.replace('_', ' ');
    return 'pause' in settlement && settlement.pause !== undefined ? `${to}, job pauses` : to;
  }

  it('names every outcome', () => {
    expect(rows.map(([, name]) => name).sort()).toEqual(
      ['`accepted`', '`accepted` in part', ...Object.keys(others)].sort(),
    );
  });

  it.each(rows)('%s', (_answer, name = '', ...means) => {
    const refusals = name.endsWith('thrice') ? 2 : 0;
    const whole = aChunk({ refusals });
    const alone = aChunk({ refusals, messages: MESSAGES.slice(0, 1) });
    const outcome = others[name as keyof typeof others];
    const sent = { message_id: 1, status: 'sent', credits_used: 1, credits_remaining: 8, sent_at: '' };
    const single = settleSingle(outcome ?? { outcome: 'accepted', data: sent }, {
      send: aSend({ kind: 'single', decidedAt: 0 }),
      chunk: alone,
      now: 0,
    });
    const ofJob = [alone, whole, whole].map((chunk, index) => {
      const listed = name === '`accepted` in part' ? chunk.messages.slice(1) : chunk.messages;
      const mode = index === 2 ? 'atomic' : 'unproven';
      return settleBulk(outcome ?? accepted(listed), { chunk, refusals: mode, retryMs: 1000 });
    });
    const found = [single, ...ofJob].map(inWords);
    // One message can't be accepted in part.
    expect(means).toEqual(name === '`accepted` in part' ? ['–', '–', ...found.slice(2)] : found);
  });
});
