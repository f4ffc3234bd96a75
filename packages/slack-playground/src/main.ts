#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { featuresOf, readManifest } from './manifest.ts';
import { createPageServer, type PageServer } from './page-server.ts';
import { APP } from './seeds.ts';
import { createPlayground, type Playground } from './server.ts';

const USAGE = `Usage: slack-playground [/command …] [--port 4020] [--events http://127.0.0.1:3000/slack/events] [--name playbot] [--manifest manifest.yml]

  /command   the app's slash commands, such as /hello
  --port     of the page; Slack's Web API is on the next one
  --events   where the app takes requests by HTTP; without it, it connects by Socket Mode
  --name     the app's name
  --manifest the app's manifest, YAML or JSON: its Home, shortcuts and events
`;

/** The Web API takes the next port. */
const Port = z.coerce.number().int().min(0).max(65_534);
const Command = z.string().regex(/^\/\S+$/);

const { values, positionals } = readArguments();
const port = Port.safeParse(values.port);
if (!port.success) stop('--port must be a port number from 0 (any free port) to 65534.');
if (!z.array(Command).safeParse(positionals).success) stop('A slash command begins with /, such as /hello.');
if (values.events !== undefined && !URL.canParse(values.events)) stop('--events must be a URL.');

const secrets = {
  botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  appToken: `xapp-${randomBytes(12).toString('hex')}`,
  signingSecret: randomBytes(16).toString('hex'),
};
const { slack, page } = await start(port.data);
process.stdout.write(introduction());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await page.close();
    await slack.close();
  });
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string', default: '4020' },
        events: { type: 'string' },
        name: { type: 'string', default: APP.name },
        manifest: { type: 'string' },
      },
    });
  } catch (error) {
    return stop(`${(error as Error).message}\n\n${USAGE.trimEnd()}`);
  }
}

async function start(pagePort: number): Promise<{ slack: Playground; page: PageServer }> {
  try {
    const workspace = await createPlayground({
      ...secrets,
      port: pagePort === 0 ? 0 : pagePort + 1,
      app: { ...APP, name: values.name },
      ...(values.events !== undefined && { eventsUrl: values.events }),
      ...(values.manifest !== undefined && { manifest: manifestIn(values.manifest) }),
    });
    const { owner, admin, member, colleague, guest, outsider } = workspace.people;
    const served = await createPageServer({
      port: pagePort,
      slack: workspace,
      people: [owner, admin, member, colleague, guest, outsider],
      commands: positionals.map((word) => ({ word, hint: '', description: `Type ${word}` })),
      home: workspace.channels.sales,
    });
    return { slack: workspace, page: served };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return stop(
      `Port ${pagePort} or ${pagePort + 1} is in use by another program: stop that, or set --port.`,
    );
  }
}

function manifestIn(file: string): unknown {
  try {
    const manifest = readManifest(file);
    featuresOf(manifest);
    return manifest;
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    return stop(`--manifest: ${why}`);
  }
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function introduction(): string {
  return [
    `The playground: ${page.url}`,
    '',
    'Start your Bolt app with',
    '',
    `  SLACK_API_URL=${slack.apiUrl}`,
    `  SLACK_BOT_TOKEN=${secrets.botToken}`,
    values.events === undefined
      ? `  SLACK_APP_TOKEN=${secrets.appToken}`
      : `  SLACK_SIGNING_SECRET=${secrets.signingSecret}`,
    '',
    'and hand SLACK_API_URL to it as clientOptions.slackApiUrl. Ctrl+C stops it; nothing is kept.',
    '',
  ].join('\n');
}
