import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSandbox, type Sandbox } from 'credit-sandbox';
import { createPageServer, createPlayground, type Playground, readManifest } from 'slack-playground';
import { z } from 'zod';
import { suggestedCommands } from '../src/slack/ui/command-list.ts';
import { lockDataDir } from '../src/store/sqlite/lock.ts';
import { createFactReader } from './bot-facts.ts';
import { createBotProcess } from './bot-process.ts';
import { createPanels, LOST_ANSWER, REFUSED_NUMBER } from './panels.ts';
import { encryptionKey, readPorts, savePorts } from './saved-settings.ts';
import { createStateFile } from './state-file.ts';
import { createSteps, type Steps } from './steps.ts';

/** How long to wait for the lock on the folder, ms: a playground that has just ended may still hold it. */
const LOCK_WAIT_MS = 2000;

/** How many requests of the bot to keep: a playground may run for weeks. */
const KEPT_RECORDS = 1000;

/** Shorter than usual, so that nobody waits half a minute for an outcome. */
const SHORT_TIMES = { SMS_TIMEOUT_MS: '3000', SMS_ATTEMPT_LEASE_MS: '6000', BALANCE_POLL_MS: '3000' };

/** The bot in the workspace. Keep its ids: older `state.json` files have them. */
const APP = { user_id: 'U0SWITCHBD', bot_id: 'B0SWITCHBD', app_id: 'A0SWITCHBD', name: 'switchboard' };

/** Nobody can act as the owner. As an admin, she would be the only one who may approve what the admin asks for. */
const SEEDS = { people: { owner: { is_admin: false, is_owner: false, is_primary_owner: false } } };

/** Says what the bot has turned on in Slack: its Home, its shortcuts, its events. */
const MANIFEST = new URL('../manifest.yml', import.meta.url);

const WELCOME =
  'Welcome to #sales! I send text messages from here, paid with credits that your team shares.\n' +
  'Nothing is sent before somebody presses *Send*. Here the texts arrive on made-up phones, under *Phones*.';

const SavedState = z.object({
  version: z.literal(1),
  slack: z.unknown(),
  service: z.unknown(),
  steps: z.unknown(),
});

export interface PlaygroundOptions {
  /** The page's port; 0 = any free one. */
  port: number;
  dataDir: string;
  /** Variables for the bot, from this process's environment. */
  inherited: Record<string, string>;
  /** Called with a sentence for the person who runs the playground. */
  tell(sentence: string): void;
}

/**
 * Starts the workspace with its page, the sandbox of the messaging service, and the bot in its own process. Keeps
 * everything in `folder`, which is `dataDir`/playground. Resolves when it serves the page; the bot is ready later.
 * `stop` ends the bot, saves the state and closes.
 * @throws StoreError if the folder can't be used or another playground uses it, and the system's error for a taken port
 */
export async function startPlayground({ port, dataDir, inherited, tell }: PlaygroundOptions) {
  const folder = resolve(dataDir, 'playground');
  const inUse = `Another playground is running on ${folder}. Use that one, or give this one a DATA_DIR of its own.`;
  await using closing = new AsyncDisposableStack();
  closing.defer(lockDataDir(folder, LOCK_WAIT_MS, inUse).release);
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  const ports = await readPorts(folder);
  savePorts(folder, ports);
  const sandbox = await createSandbox({
    port: ports.service,
    altPort: ports.serviceAlt,
    keptRequests: KEPT_RECORDS,
    switches: { refusedPhones: [REFUSED_NUMBER] },
  });
  closing.defer(() => sandbox.close());
  const eventsUrl = `http://127.0.0.1:${ports.bot}/slack/events`;
  const slack = await createPlayground({
    ...secrets,
    port: ports.slack,
    eventsUrl,
    app: APP,
    seeds: SEEDS,
    manifest: readManifest(MANIFEST),
    filesFolder: join(folder, 'files'),
    keptRecords: KEPT_RECORDS,
  });
  closing.defer(() => slack.close());

  const panels = createPanels(sandbox);
  const loseAnswer = (on: boolean) => panels.act('fault', { id: LOST_ANSWER, on });
  const steps = createSteps({ slack, sandbox, loseAnswer });
  const parts = { slack, sandbox, steps };
  const kept = createStateFile({ file: join(folder, 'state.json'), state: () => stateOf(parts), tell });
  if (!kept.load((state) => restore(parts, state))) begin(parts);
  const stops = [slack, panels, steps].map((part) => part.subscribe(kept.touch));
  closing.defer(() => {
    for (const stop of stops) stop();
    kept.flush();
  });

  const bot = createBotProcess({
    env: {
      ...inherited,
      SLACK_BOT_TOKEN: secrets.botToken,
      SLACK_SIGNING_SECRET: secrets.signingSecret,
      SLACK_API_URL: slack.apiUrl,
      PORT: String(ports.bot),
      SMS_BASE_URL: sandbox.url,
      SMS_BASE_URL_ALT: sandbox.urlAlt,
      ENCRYPTION_KEY: encryptionKey(folder),
      DATA_DIR: join(folder, 'bot'),
      ...SHORT_TIMES,
    },
    cwd: folder,
    logFile: join(folder, 'bot.log'),
    port: ports.bot,
    onLog: createFactReader(steps.botDid),
    onCrash: () => tell(`The bot crashed and starts again. ${join(folder, 'bot.log')} says why.`),
  });
  closing.defer(() => bot.stop());
  const inTurn = createTurns();

  async function startOver(): Promise<void> {
    await bot.stop('kill');
    rmSync(join(folder, 'bot'), { recursive: true, force: true });
    kept.remove();
    begin(parts);
    bot.start();
  }

  const { admin, member, colleague, guest, outsider } = slack.people;
  const page = await createPageServer({
    port,
    slack,
    people: [admin, member, colleague, guest, outsider],
    commands: suggestedCommands(),
    help: '/sms help',
    home: slack.channels.sales,
    panels,
    bot: { ...bot, restart: () => inTurn(bot.restart) },
    steps,
    onCommand: steps.commandTyped,
    startOver: () => inTurn(startOver),
  });
  closing.defer(() => page.close());
  bot.start();
  const opened = closing.move();
  return { url: page.url, folder, stop: () => opened.disposeAsync() };
}

/** The parts whose state survives a restart. */
interface KeptParts {
  slack: Playground;
  sandbox: Sandbox;
  steps: Steps;
}

function stateOf({ slack, sandbox, steps }: KeptParts): z.input<typeof SavedState> {
  return { version: 1, slack: slack.snapshot(), service: sandbox.snapshot(), steps: steps.snapshot() };
}

/** Throws if it is no saved state. */
function restore({ slack, sandbox, steps }: KeptParts, state: unknown): void {
  const saved = SavedState.parse(state);
  sandbox.restore(saved.service);
  slack.restore(saved.slack);
  steps.restore(saved.steps);
}

/** Puts everything to the state of the first start. */
function begin({ slack, sandbox, steps }: KeptParts): void {
  sandbox.reset();
  slack.reset();
  steps.reset();
  // The steps link #sales, so the guest has to be there to see what the bot says to guests.
  slack.join(slack.channels.sales.id, slack.people.guest.id);

  slack.say({ user: slack.bot.user_id, channel: slack.channels.sales, text: WELCOME });
}

/** Makes a function that does one work after the other, whether the one before fails or not. */
function createTurns() {
  let turn: Promise<void> = Promise.resolve();
  return (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work, work);
    return turn;
  };
}
