#!/usr/bin/env node
import { z } from 'zod';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** At most 65534: the second base URL gets the next port. */
const Port = z.coerce.number().int().min(0).max(65_534);
const DEFAULT_PORT = 4010;

const sandbox = await start(process.env.SANDBOX_PORT);
process.stdout.write(`${introduction(sandbox)}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => sandbox.close());

async function start(setting: string | undefined): Promise<Sandbox> {
  const port = Port.safeParse(setting || DEFAULT_PORT);
  if (!port.success) return stop('SANDBOX_PORT must be a port number from 0 (any free port) to 65534.');
  const altPort = port.data === 0 ? 0 : port.data + 1;
  try {
    return await createSandbox({ port: port.data, altPort });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return stop(
      `Port ${port.data} or ${altPort} is in use by another program: stop that program, or set SANDBOX_PORT to a free port.`,
    );
  }
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function introduction({ url, urlAlt, controlUrl, state }: Sandbox): string {
  const { accounts, instances } = state();
  const keys = instances.map(({ key, user_id }) => {
    const account = accounts.find((one) => one.user_id === user_id);
    return `  ${key}   ${account?.user_name}, ${account?.credits.toLocaleString('en')} credits`;
  });
  return [
    'The sandbox of the messaging credit service is running. Nothing reaches a phone, nothing costs money.',
    '',
    `  SMS_BASE_URL=${url}`,
    `  SMS_BASE_URL_ALT=${urlAlt}`,
    '',
    'API keys:',
    ...keys,
    '',
    `Control API: GET ${controlUrl}/state shows what was sent; POST to ${controlUrl}/faults, /switches,`,
    '/credits, /keys, /keys/revoke or /reset changes how the sandbox behaves.',
  ].join('\n');
}
