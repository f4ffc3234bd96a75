import { spawnSync } from 'node:child_process';
import { ACTIONS } from '../src/slack/ui/ids.ts';
import { writeHistoryState } from '../src/slack/ui/reports/history-state.ts';
import type { World } from '../test/helpers/world.ts';
import { type Answers, receiveAnswers } from './answers.ts';
import { compareMedians } from './compare-loads.ts';
import { type Figure, inMs, percentile, ratioOf, type Section } from './figures.ts';
import { phonesFor, TEXTS_OF_A_NUMBER } from './fill-store.ts';
import { type EngineName, type FilledWorld, startFilledWorld } from './filled-world.ts';
import { compareExport } from './history-export.ts';
import { compareHomes } from './home.ts';
import { interleaved } from './interleaved.ts';
import { type Load, load } from './load.ts';
import { pressedButton, typedCommand } from './typed-command.ts';

const RUN_MS = 3000;
const FEW = 1000;
const MANY = 1_000_000;

/** Times people's questions to the history, with few texts in the store and with many, and an export of the many. */
export async function benchHistory({ many = MANY, engines = enginesHere() } = {}): Promise<Section> {
  const lots = many.toLocaleString('en');
  const figures: Figure[] = [];
  for (const engine of engines) figures.push(...(await compare(engine, many)));
  return {
    title: '`/sms history` and Home',
    means:
      'Signed HTTP over one kept-alive connection, the next command once the one before was answered. Two bots, each with a ' +
      `store of its own: one with ${lots} finished texts, against one with ${FEW.toLocaleString('en')}; all are of one ` +
      `channel and one person, and each number was texted ${TEXTS_OF_A_NUMBER} times. An older page is in the middle. A ` +
      'Home is measured from the visit to its publication. The export writes all lines as CSV, once, while the first ' +
      'page is asked for every 20 ms in the same process: against such a process without an export.' +
      (engines.length > 1 ? '' : ` Only ${engines.join()} was measured.`),
    figures,
  };
}

function enginesHere(): EngineName[] {
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  return hasRedis ? ['SQLite', 'Redis'] : ['SQLite'];
}

/** A question that people ask: the request that Slack posts, and words in its answer. */
interface Question {
  what: string;
  fields: Parameters<typeof load>[2]['fields'];
  says: string;
}

function questionsTo({ world, texts }: FilledWorld): Question[] {
  const [phone] = phonesFor(texts);
  const middle = { at: Date.now() - (texts / 2) * 1000, id: '' };
  const value = writeHistoryState({ cursor: { way: 'older', place: middle } });
  const older = { action_id: ACTIONS.historyOlder, value };
  return [
    { what: 'the newest page', fields: typedCommand(world, 'history'), says: 'Texts from this channel' },
    { what: 'an older page', fields: (url) => pressedButton(world, url, older), says: 'Older' },
    {
      what: 'the look-up of a number',
      fields: typedCommand(world, `history +${phone}`),
      says: `${TEXTS_OF_A_NUMBER} messages`,
    },
  ];
}

async function compare(engine: EngineName, many: number): Promise<Figure[]> {
  const answers = await receiveAnswers();
  const [few, lots] = [await startFilledWorld(engine, FEW), await startFilledWorld(engine, many)];
  try {
    const figures: Figure[] = [];
    for (const [at, { what }] of questionsTo(few).entries()) {
      const drive = (filled: FilledWorld, ms = RUN_MS) =>
        ask(filled.world, answers, questionsTo(filled)[at] as Question, ms);
      // The first one does not count: a bot that has just started is slower.
      for (const one of [few, lots]) await drive(one, 1000);
      const took = await interleaved({ few: () => drive(few), lots: () => drive(lots) });
      figures.push(...compareLoads(`${engine}: ${what}`, took));
    }
    figures.push(...(await compareHomes(engine, { few: few.world, many: lots.world })));
    for (const one of [few, lots]) await one.stopBot();
    return [...figures, ...(await compareExport(engine, lots))];
  } finally {
    await Promise.all([few.end(), lots.end(), answers.close()]);
  }
}

function compareLoads(what: string, { few, lots }: { few: Load[]; lots: Load[] }): Figure[] {
  const p99 = (runs: Load[]) => runs.map((run) => percentile(run.answers, 99));
  return [
    compareMedians(what, lots, few),
    ratioOf(`${what}, p99`, { ours: p99(lots), theirs: p99(few), shown: inMs, target: { atMost: 1.5 } }),
  ];
}

function ask({ signingSecret, url }: World, answers: Answers, question: Question, ms: number): Promise<Load> {
  const { fields, says } = question;
  return load({ url: `${url}/slack/events`, signingSecret }, answers, { connections: 1, ms, fields, says });
}
