import { inMs, percentile } from '../figures.ts';
import type { Cost } from './cost.ts';
import type { Costs } from './costs.ts';
import type { CrowdStep } from './crowd-steps.ts';
import { busiestSecond, DEMAND, type Demand, type Rates, taken, wholeDay } from './needs.ts';
import type { Stay, Stays } from './stays.ts';

/** The defaults of the variables with these names. */
const RETENTION_DAYS = 90;
const LOOKUP_DAYS = 400;

type Shown = (figure: number) => string;

/** A figure with three significant digits. Less than half a thousandth is only an error of the subtraction. */
const short: Shown = (figure) => {
  if (figure < 0.0005) return '0';
  return figure.toLocaleString(
    'en',
    figure < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
};
const bytes: Shown = (figure) => {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = figure < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(figure) / 3));
  return `${short(figure / 1000 ** power)} ${units[power]}`;
};
const cores: Shown = (msPerSecond) => `${(msPerSecond / 1000).toFixed(2)} cores`;

const WHAT = {
  idle: 'a minute of nothing',
  command: '`/sms balance`',
  link: 'linking a channel to a new instance',
  poll: 'a balance poll',
  single: 'a single text, from `/sms send` to its receipt',
  recipient: 'one of 2,000 in a list',
} satisfies { [what in keyof Costs]: string };

/** The table of what each thing costs once. */
export function costsTable(costs: Costs): string {
  const columns: [string, keyof Cost, Shown][] = [
    ['requests to the service', 'service', short],
    ['calls to Slack', 'slack', short],
    ['commands to Redis', 'trips', short],
    ['with those in scripts', 'commands', short],
    ['synced writes', 'writes', short],
    ['to Redis', 'bytesIn', bytes],
    ['from Redis', 'bytesOut', bytes],
    ['stays in memory', 'memory', bytes],
    ['its file grows by', 'fileBytes', bytes],
    ['Redis’s CPU', 'redisMs', inMs],
    ['the bot’s CPU', 'botMs', inMs],
  ];
  return table(
    ['what', ...columns.map(([title]) => title)],
    Object.entries(WHAT).map(([what, said]) => [
      said,
      ...columns.map(([, name, shown]) => shown(Math.max(0, costs[what as keyof Costs][name]))),
    ]),
  );
}

/** The table of what the demand takes: for a typical mix, for single texts alone, and for lists alone. */
export function needsTable(costs: Costs, recordBytes: number): string {
  const mixes = [0, DEMAND.singleShare, 1].map((singleShare) => ({ ...DEMAND, singleShare }));
  const [second, day] = [busiestSecond, wholeDay];
  const records = DEMAND.instances * recordBytes;
  // A poll leaves nothing behind: its permit goes with the next one, and its figure replaces the last one.
  const lasting = { ...costs, poll: { ...costs.poll, memory: 0 } };
  const row = (
    title: string,
    name: keyof Cost,
    during: (demand: Demand) => Rates,
    shown: Shown,
    { each = shown, days = 1, besides = 0 }: { each?: Shown; days?: number; besides?: number } = {},
  ): string[] => {
    const { terms } = taken(during(DEMAND), lasting, name);
    const reckoned = terms.map(([often, cost]) => `${short(often)} × ${each(Math.max(0, cost))}`);
    const sum = besides > 0 ? `${bytes(besides)} of records + ${days} × a day’s` : reckoned.join(' + ');
    const figures = mixes.map((mix) => shown(besides + days * taken(during(mix), lasting, name).total));
    return [title, ...figures, sum];
  };
  return table(
    [
      'what',
      'all in lists',
      'a tenth single',
      'all single',
      'reckoned (a tenth single): polls + single texts + recipients',
    ],
    [
      row('requests to the service a second', 'service', second, short),
      row('calls to Slack a second', 'slack', second, short),
      row('commands to Redis a second', 'trips', second, short),
      row('with those in scripts', 'commands', second, short),
      row('synced writes a second', 'writes', second, short),
      row('bytes to Redis a second', 'bytesIn', second, bytes),
      row('bytes from Redis a second', 'bytesOut', second, bytes),
      row('Redis’s CPU', 'redisMs', second, cores, { each: inMs }),
      row('the bots’ CPU', 'botMs', second, cores, { each: inMs }),
      row(
        'bots for the CPU, each busy half of the time',
        'botMs',
        second,
        (ms) => String(Math.ceil(ms / 500)),
        {
          each: inMs,
        },
      ),
      row('Redis’s file, written a day', 'fileBytes', day, bytes),
      row('memory that a day adds', 'memory', day, bytes),
      row('memory after a day', 'memory', day, bytes, { besides: records }),
      row('memory after 30 days', 'memory', day, bytes, { days: 30, besides: records }),
      row('memory after a year', 'memory', day, bytes, { days: 365, besides: records }),
    ],
  );
}

/** By the measurement of `test/ledger/look-up-bytes.test.ts`. */
const LOOK_UP_BYTES = 28.3;

/** The table of the bytes that texts leave, and their sum with the default retention. */
export function staysTable({ single, recipient }: Stays): string {
  const singles = DEMAND.textsADay * DEMAND.singleShare;
  const listed = DEMAND.textsADay - singles;
  const kept = ({ whole, rest }: Stay, days = LOOKUP_DAYS) =>
    RETENTION_DAYS * whole + (days - RETENTION_DAYS) * rest;
  const ofADay = (stay: Stay, texts: number) =>
    `${short(texts)} × (${RETENTION_DAYS} × ${bytes(stay.whole)} + ${LOOKUP_DAYS - RETENTION_DAYS} × ${bytes(stay.rest)}) = ${bytes(texts * kept(stay))}`;
  const lookUp = (days: number) => DEMAND.textsADay * days * LOOK_UP_BYTES;
  const all = (days: number) => singles * kept(single, days) + listed * kept(recipient, days) + lookUp(days);
  const inLists = DEMAND.textsADay * kept(recipient) + lookUp(LOOKUP_DAYS);
  return [
    table(
      ['what of it is there', 'a single text', 'one of a list'],
      [
        ['until `RETENTION_DAYS`', bytes(single.whole), bytes(recipient.whole)],
        ['after that, until `LOOKUP_DAYS`', bytes(single.rest), bytes(recipient.rest)],
        ['in the look-up by number, until `LOOKUP_DAYS`', bytes(LOOK_UP_BYTES), bytes(LOOK_UP_BYTES)],
      ],
    ),
    `So for ${short(DEMAND.textsADay)} texts a day, ${short(singles)} of them single ones, Redis holds this much and no more, however long it runs:`,
    [
      `- single texts: ${ofADay(single, singles)}`,
      `- lists: ${ofADay(recipient, listed)}`,
      `- the look-up: ${short(DEMAND.textsADay)} × ${LOOKUP_DAYS} × ${bytes(LOOK_UP_BYTES)} = ${bytes(lookUp(LOOKUP_DAYS))}`,
    ].join('\n'),
    `That is **${bytes(all(LOOKUP_DAYS))}**; with \`LOOKUP_DAYS=${RETENTION_DAYS}\` it is ${bytes(all(RETENTION_DAYS))}, and ${bytes(inLists)} where all are in lists and \`LOOKUP_DAYS\` is ${LOOKUP_DAYS}.`,
  ].join('\n\n');
}

/** The table of bots among many instances. */
export function crowdTable(steps: CrowdStep[]): string {
  return table(
    [
      'instances',
      'bots',
      'polls due a second',
      'made',
      'texts due a second',
      'sent',
      'from Send to the answer, p50 / p99',
      'oldest message to Slack waits',
      'CPU of the bots',
      'of Redis',
      'from Redis a second',
      'went wrong',
      'slowed',
    ],
    steps.map((step) => {
      const { instances, bots, pollsDue, textsPerSecond, slowedBy } = step;
      const { report, aSecond } = step.crowd;
      const wait = (percent: number) => inMs(percentile(report.waits, percent) / slowedBy);
      return [
        short(instances),
        String(bots),
        short(pollsDue),
        short(report.pollsPerSecond * slowedBy),
        short(textsPerSecond),
        short((report.sent / report.seconds) * slowedBy),
        report.waits.length === 0 ? 'none was sent' : `${wait(50)} / ${wait(99)}`,
        `${(report.outboxLagMs / 1000 / slowedBy).toFixed(1)} s`,
        cores(aSecond.botMs * slowedBy),
        cores(aSecond.redisMs * slowedBy),
        bytes(aSecond.bytesOut * slowedBy),
        Object.values(report.troubles)
          .reduce((sum, count) => sum + count, 0)
          .toString(),
        `${slowedBy}×`,
      ];
    }),
  );
}

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
