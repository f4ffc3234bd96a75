import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox } from '../src/sandbox.ts';
import { callsTo } from './call.ts';

const running: ChildProcess[] = [];
const entry = new URL('../src/main.ts', import.meta.url).pathname;

function start(SANDBOX_PORT: string): ChildProcess {
  const child = spawn(process.execPath, [entry], { env: { ...process.env, SANDBOX_PORT } });
  running.push(child);
  return child;
}

/** Resolves with its whole introduction. */
async function introductionOf(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    printed += chunk;
    if (/Control API.*\.\n$/s.test(printed)) return printed;
  }
  throw new Error(`The sandbox stopped after: ${printed}`);
}

/** What a process says that ends with 1. */
async function refusalOf(child: ChildProcess): Promise<string> {
  const exited = once(child, 'exit');
  const said = await text(child.stderr as NonNullable<typeof child.stderr>);
  expect(await exited).toEqual([1, null]);
  return said;
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describe('npm run sandbox', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'says where it is and with which keys, and stops on %s',
    async (signal) => {
      const child = start('0');
      const introduction = await introductionOf(child);
      const url = /SMS_BASE_URL=(\S+)/.exec(introduction)?.[1] ?? '';
      const urlAlt = /SMS_BASE_URL_ALT=(\S+)/.exec(introduction)?.[1] ?? '';
      const key = /sandbox-key-\S+/.exec(introduction)?.[0] ?? '';
      expect((await callsTo({ url }).send({ key })).status).toBe(201);
      expect((await callsTo({ url: urlAlt }).balance({ key })).json.data.credits).toBe(999);
      expect(introduction).toContain(`GET ${url.replace('/api/v1', '/sandbox')}/state`);
      const exited = once(child, 'exit');
      child.kill(signal);
      expect(await exited).toEqual([0, null]);
    },
  );

  it('says in one sentence that a port is taken', async () => {
    const taken = await createSandbox();
    expect(await refusalOf(start(String(taken.port)))).toMatch(
      /^Port \d+ or \d+ is in use by another program: .*SANDBOX_PORT.*\.\n$/,
    );
    await taken.close();
  });

  it.each(['http', '-1', '65535', '4010.5'])('says in one sentence that %s is no port', async (setting) => {
    expect(await refusalOf(start(setting))).toMatch(/^SANDBOX_PORT must be a port number .*\.\n$/);
  });
});
