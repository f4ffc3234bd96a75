import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog, withoutSecrets } from '../src/log.ts';

// Joined here, so that no scanner takes this file for one with a real token.
const botToken = ['xoxb', '1234', '5678', 'AbCdEf'].join('-');
const appToken = ['xapp', '1', 'A0', 'f00d'].join('-');
const number = '+44 20 7946 0958';

/** The log of `write`: the raw text and its parsed lines. */
function logged(write: (log: Logger) => void, level = 'info') {
  const written: string[] = [];
  write(createLog(level, { write: (line) => void written.push(line) }));
  const text = written.join('');
  return {
    text,
    lines: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

describe('log', () => {
  it('writes one JSON object a line, from the level up', () => {
    const { lines } = logged((log) => {
      log.debug('quiet');
      log.info({ send: 'S1', credits: 3 }, 'sent');
      log.child({ team: 'T1' }).warn('low');
    });
    expect(lines).toMatchObject([
      { level: 30, msg: 'sent', send: 'S1', credits: 3, time: expect.stringMatching(/^\d{4}-.*Z$/) },
      { level: 40, msg: 'low', team: 'T1' },
    ]);
  });

  it('hides private fields at the top and one level down', () => {
    const { text, lines } = logged((log) =>
      log.info({ apiKey: 'k-secret', send: { id: 'S1', text: 'Dinner at 8?', phone: '4420' } }, 'draft'),
    );
    expect(lines).toMatchObject([
      { apiKey: '[hidden]', send: { id: 'S1', text: '[hidden]', phone: '[hidden]' } },
    ]);
    expect(text).not.toMatch(/k-secret|Dinner|4420/);
  });

  it('hides private fields of a child, and writes lists and others as they are', () => {
    const { lines } = logged((log) =>
      log
        .child({ team: 'T1', token: 'k-secret' })
        .info({ ids: ['S1', 'S2'], of: { credits: 3 }, none: null }, 'sent'),
    );
    expect(lines).toMatchObject([
      { team: 'T1', token: '[hidden]', ids: ['S1', 'S2'], of: { credits: 3 }, none: null },
    ]);
  });

  it('writes a time one level down as a time', () => {
    const { lines } = logged((log) => log.info({ since: new Date(0) }, 'waiting'));
    expect(lines).toMatchObject([{ since: '1970-01-01T00:00:00.000Z' }]);
  });

  it('keeps name, code, message and stack of an error, and none of its other fields', () => {
    const error = Object.assign(new TypeError('no way', { cause: new Error('cause-secret') }), {
      code: 'E_WAY',
      request: { headers: 'header-secret' },
    });
    const { text, lines } = logged((log) => log.error({ err: error }, 'failed'));
    expect(Object.keys(lines[0].err).sort()).toEqual(['code', 'message', 'name', 'stack']);
    expect(lines[0].err).toMatchObject({ name: 'TypeError', code: 'E_WAY', message: 'no way' });
    expect(lines[0].err.stack).toContain('log.test.ts');
    expect(text).not.toContain('secret');
  });

  it('describes each of several failures, as briefly as one', () => {
    const one = Object.assign(new Error(`no answer to ${number}`), { code: 'late', request: 'k-secret' });
    const both = new AggregateError(
      [one, new Error('the record links/T1/C1 is damaged')],
      'two links failed',
    );
    const { text, lines } = logged((log) => log.error({ err: both }, 'a round failed'));
    expect(lines[0].err).toMatchObject({
      message: 'two links failed',
      errors: [
        { code: 'late', message: 'no answer to [hidden]' },
        { message: 'the record links/T1/C1 is damaged' },
      ],
    });
    expect(text).not.toMatch(/7946|k-secret/);
    const stopped = logged((log) => log.error({ err: new SuppressedError(one, both) }, 'a stop failed'));
    expect(stopped.lines[0].err.errors).toMatchObject([
      { message: 'no answer to [hidden]' },
      { message: 'two links failed', errors: [{}, {}] },
    ]);
  });

  it.each([
    ['as the only argument', (log: Logger, error: Error) => log.error(error)],
    ['as err without a message', (log: Logger, error: Error) => log.error({ err: error })],
    ['as text', (log: Logger, error: Error) => log.error(error.message)],
    ['as err that is no Error', (log: Logger, error: Error) => log.error({ err: error.message }, 'failed')],
    ['interpolated', (log: Logger, error: Error) => log.error('failed: %s', error.message)],
    ['in a child', (log: Logger, error: Error) => log.child({ team: 'T1' }).error(error)],
  ])('hides secrets of an error logged %s', (_how, write) => {
    const error = new Error(`POST with Bearer sk_live.abc and ${botToken} to ${number} failed`);
    const { text, lines } = logged((log) => write(log, error));
    expect(lines).toHaveLength(1);
    expect(text).toContain('failed');
    expect(text).not.toMatch(/sk_live|AbCdEf|0958/);
  });
});

/** The disk has no room for the first line. Once it has, the process ends while a line is being written. */
const AFTER_A_FULL_DISK = `
  import fs from 'node:fs';
  import { createLog } from './src/log.ts';
  const { write } = fs;
  const log = createLog('info');
  const end = (done) => (...answer) => {
    done(...answer);
    log.info('being written');
    log.info('last');
    process.exit();
  };
  fs.write = (...args) => {
    fs.write = (...again) => {
      fs.write = write;
      write(...again.slice(0, -1), end(again.at(-1)));
    };
    args.at(-1)(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
  };
  log.info('first');
  log.info('second');
`;

/** The process ends before its first line is written. */
const AT_THE_END_OF_INPUT = `
  import { createLog } from './src/log.ts';
  const log = createLog('info');
  process.stdin.resume().on('end', () => {
    log.info('first');
    log.info('last');
    process.exit();
  });
`;

describe('the end of the process', () => {
  it('writes what still waits, also if a write failed before', async () => {
    const program = ['--input-type=module', '-e', AFTER_A_FULL_DISK];
    const { stdout } = await promisify(execFile)(process.execPath, program);
    expect(stdout).toMatch(/"msg":"first".*"msg":"last"/s);
  });

  it.each([
    ['reader has gone', 'pipe' as const],
    ['disk is full', openSync('/dev/full', 'w')],
  ])('comes, though the log’s %s', async (_how, stdout) => {
    const program = ['--input-type=module', '-e', AT_THE_END_OF_INPUT];
    const child = spawn(process.execPath, program, { stdio: ['pipe', stdout, 'inherit'] });
    child.stdout?.destroy();
    child.stdin?.end();
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

describe('withoutSecrets', () => {
  it.each([
    botToken,
    appToken,
    `xoxe.${botToken}`,
    number,
    '447946095888',
    '(030) 901820-15',
    '٠٢٠٧٩٤٦',
    '030/901820',
  ])('hides %s', (secret) =>
    expect(withoutSecrets(`before ${secret} after`)).toMatch(/^before \(?\[hidden\] after$/),
  );

  it.each([
    '3 credits of 120',
    'src/main.ts:123:45',
    'connect ECONNREFUSED 192.168.100.200:3000',
    'T123456/C1',
    '1,234 texts',
  ])('leaves %s', (text) => expect(withoutSecrets(text)).toBe(text));

  it('does not slow down on long input', () => {
    const started = process.cpuUsage().user;
    withoutSecrets('1 2 3 4 5 '.repeat(20_000));
    withoutSecrets('1'.repeat(200_000));
    withoutSecrets(`1${'('.repeat(200_000)}`);
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(5_000);
  });
});
