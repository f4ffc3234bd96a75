import { describe, expect, it } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { applySettlement } from '../../src/ledger/model/apply-settlement.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { ChunkState } from '../../src/ledger/model/outcome-types.ts';
import type { SendState } from '../../src/ledger/model/send-record.ts';
import { createSteps } from '../../src/store/steps.ts';
import { diagram, read } from '../helpers/documents.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { aChunk, aSend, MESSAGES } from './samples.ts';

const page = read('docs/architecture.md');

const SEND_STATES = {
  draft: true,
  awaiting_approval: true,
  running: true,
  paused: true,
  finished: true,
  stopped: true,
  cancelled: true,
  superseded: true,
  declined: true,
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

/** The arrows of a diagram of states, with their labels. */
function transitions(heading: string) {
  return diagram(page, heading).flatMap((line) => {
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
    const limits = { permits: 60, windowMs: 60_000, leaseMs: 1000, timeoutMs: 1000 };
    const methods = Object.keys(createLedger(createSteps(createMemoryEngine(Date.now)), limits));
    const named = arrows.flatMap(({ by }) => by).filter((name) => name !== '' && name !== 'late answer');
    expect(named.filter((name) => !methods.includes(name))).toEqual([]);
  });
});

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
      to: 'resolved_per_message',
      request: 'answered',
      receipt,
      parts: [{ state: 'sent', messages: MESSAGES, result: {} }],
    },
  ];

  it('is exactly what the diagram shows', () => {
    const found = new Set<string>();
    for (const from of Object.keys(CHUNK_STATES) as ChunkState[]) {
      for (const send of (['running', 'paused', 'stopped'] as const).map((state) => aSend({ state }))) {
        for (const settlement of settlements) {
          const splitBudget = { requests: 1, open: 0 };
          const applied = applySettlement(send, aChunk({ state: from }), settlement, {
            token: 't',
            now: 1,
            splitBudget,
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
