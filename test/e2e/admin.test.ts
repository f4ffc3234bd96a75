import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { sideBySide } from '../helpers/side-by-side.ts';
import type { Ended, World } from '../helpers/world.ts';
import { cardSaying, confirmBulk, draftBulk } from '../helpers/world-bulk.ts';
import {
  ACME_KEY,
  ask,
  BIRCH_KEY,
  draft,
  eventually,
  formOf,
  historyOf,
  link,
  press,
  receiptOf,
  rows,
  sendText,
} from '../helpers/world-steps.ts';
import { worldsOfFile } from '../helpers/worlds-of-file.ts';

const newWorld = worldsOfFile({
  env: { SMS_RATE_LIMIT: '1000', SMS_BULK_MIN_RECIPIENTS: '2', LIST_UNDO_SECONDS: '0' },
  sandbox: { switches: { rateLimit: 1000 } },
});

/** Runs an operator's commands on the server of this world, and keeps what they said. */
function commandsOn(worldOf: () => World) {
  const runs: Ended[] = [];
  return {
    said: () => runs.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    async admin(words: string[], input = '', env = {}) {
      const ended = await worldOf().runAdmin(words, input, env);
      runs.push(ended);
      return ended;
    },
  };
}

/** An operator's commands on the server, beside a running bot. */
sideBySide('npm run admin', () => {
  let world: World;
  const { admin, said } = commandsOn(() => world);
  beforeAll(async () => {
    world = await newWorld();
  });

  it('before the bot’s first start, says what to do first', async () => {
    for (const command of [['status'], ['erase', '--phone', '+442079460958'], ['after-restore']]) {
      const ended = await admin(command);
      expect(ended.code).toBe(1);
      expect(ended.stderr.trim()).toMatch(
        /^There is no .*switchboard\.db, so nothing was done: set DATA_DIR .*, or start the bot once\.$/,
      );
    }
    expect(world.dataBytes()).toBe('');
    await world.start();
  });

  it('that needs the bot stopped, says so while one runs', async () => {
    const ended = await admin(['after-restore']);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^A bot is using .*: stop it first\. Nothing was changed\.$/m);
  });

  it('if --team names no known workspace, names the known ones, and repeats no word', async () => {
    const ended = await admin(['status', '--team', ACME_KEY]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^No workspace has this id\. Choose one of these with --team:\n {2}T\w+ {2}\S/,
    );
  });

  it('without a command, or with words that it does not know: the usage, none of the words', async () => {
    for (const words of [
      [],
      ['frobnicate-this-key'],
      ['status', ACME_KEY],
      ['add-instance', '--key', ACME_KEY],
    ]) {
      const { code, stdout, stderr } = await admin(words);
      expect(code).toBe(1);
      expect(stderr).toContain('npm run admin -- add-instance --name NAME');
      expect(stdout + stderr).not.toMatch(/frobnicate|sandbox-key/);
    }
  });

  it.each(['help', '--help', '-h'])('%s shows the usage, and is no error', async (word) => {
    const { code, stdout, stderr } = await admin([word]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^What an operator does on the server\./);
  });

  it('says what is missing if an option has no value, or if no variable is set', async () => {
    const noValue = await admin(['add-instance', '--name']);
    expect([noValue.code, noValue.stderr]).toEqual([
      1,
      expect.stringContaining('an option without its value'),
    ]);
    const unset = Object.fromEntries(Object.keys(world.environment).map((name) => [name, '']));
    const nowhere = await admin(['status'], '', unset);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(/^None of the bot’s variables is set here.*Run it where the bot runs/),
    ]);
  });

  it('add-instance takes the key from standard input and never shows it', async () => {
    const { service } = world;
    const refused: [string, RegExp][] = [
      ['', /Nothing was changed/],
      ['no-such-key-5555\n', /rejects this key: it is wrong or revoked.*Nothing was saved/],
      ['two words\n', /Nothing was changed/],
    ];
    for (const [input, sentence] of refused) {
      const { code, stderr } = await admin(['add-instance', '--name', 'Acme'], input);
      expect(code, input).toBe(1);
      expect(stderr).toMatch(sentence);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    service.addFault({ kind: 'bad_gateway', endpoint: 'balance', times: 'always' });
    const down = await admin(['add-instance', '--name', 'Acme'], ACME_KEY);
    expect(down.stderr).toMatch(/the key could not be tested.*SMS_BASE_URL/);
    service.clearFaults();
    expect((await admin(['add-instance'], ACME_KEY)).stderr).toMatch(/--name/);
    const added = await admin(['add-instance', '--name', 'Acme'], `${ACME_KEY}\n`);
    expect(added.stdout).toBe(
      'Added "Acme" (…0001), account Acme Ltd, 1000 credits. Now type /sms link in a channel and choose it.\n',
    );
    expect((await admin(['add-instance', '--name', 'Twice'], ACME_KEY)).stdout).toMatch(/already saved as/);
  });

  it('a channel can be linked at once to an added instance, by name, at a running bot', async () => {
    const { slack } = world;
    const command = await slack.command({
      user: slack.people.admin,
      channel: slack.channels.sales,
      text: 'link',
    });
    const form = await formOf(slack, command);
    await slack.submitView({ user: slack.people.admin, view: form, values: { Instance: 'Acme · …0001' } });
    await slack.waitFor(() => historyOf(world).some((line) => line.includes('“Acme”')));
    expect(await sendText(world, '+442079461301 By an instance of the server')).toMatch(/^✅ \*Sent\*/);
  });

  it('set-key replaces the key under the running bot; another account has to be accepted', async () => {
    const { service } = world;
    expect((await admin(['set-key', '--instance', 'Nobody'], BIRCH_KEY)).stderr).toMatch(/There are: "Acme"/);
    expect((await admin(['set-key', '--instance', 'Acme'], BIRCH_KEY)).stderr).toMatch(
      /another account, “Birch & Co”. So far “Acme Ltd” pays.*--accept-account/,
    );
    service.addKey({ name: 'Acme, new key', key: 'acme-new-key-0005', user_id: 1 });
    service.revokeKey(ACME_KEY);
    expect(await ask(world, 'status')).toMatch(/^⛔ \*The service refuses the API key\.\*/);
    expect(await ask(world, 'balance')).toMatch(/refuses this instance’s API key/);
    await world.slack.waitFor(() => historyOf(world).some((line) => line.includes('Texts cannot be sent')));
    expect((await admin(['status'])).stdout).toMatch(/"Acme" …0001 · REFUSED since/);
    const replaced = await admin(['set-key', '--instance', 'Acme'], 'acme-new-key-0005');
    expect(replaced.stdout).toBe('"Acme" now uses …0005, account Acme Ltd, 999 credits.\n');
    expect(await sendText(world, '+442079461302 By the new key')).toMatch(/^✅ \*Sent\*[\s\S]*998 left/);
    await world.slack.waitFor(() => historyOf(world).some((line) => line.includes('can be sent again')));
  });

  it('status and list-unknown print figures, ids and the last four digits, no texts and no numbers', async () => {
    const { service } = world;
    service.addFault({ kind: 'reset', endpoint: 'send' });
    const preview = await draft(world, '+442079461303 Whatever became of it');
    await press(world, preview, 'Send');
    await receiptOf(world, preview);
    const status = await admin(['status']);
    expect(status.stdout).toMatch(
      /^"Acme" …0005 · last good check \S+ · Acme Ltd: \d+ credits at \S+ · channels: 1 · open sends: 0\nlinked channels: 1 · unknown messages: 1\n$/,
    );
    const unknown = await admin(['list-unknown']);
    expect(unknown.stdout).toMatch(
      /channel C0SALES001 · to ···1303 · no evidence yet\nUnknown messages: 1\. Switchboard never sends them again/,
    );
    expect(unknown.stdout).not.toMatch(/7946|Whatever/);
  });

  it('counts each unknown message of a list, not its requests', async () => {
    const { service } = world;
    service.addFault({ kind: 'reset', endpoint: 'bulk' });
    const preview = await draftBulk(world, {
      recipients: '+442079461311\n+442079461312',
      message: 'Both in one',
    });
    await confirmBulk(world, preview);
    await cardSaying(world, /Unknown/);
    expect((await admin(['status'])).stdout).toMatch(/ · unknown messages: 3\n$/);
    const { stdout } = await admin(['list-unknown']);
    expect(stdout).toMatch(/ · to 2 messages · [^\n]+\nUnknown messages: 3\./);
  });

  it('rotate-keys, then a start with the new key alone; the old one fits no more', async () => {
    const old = world.environment.ENCRYPTION_KEY as string;
    const fresh = randomBytes(32).toString('base64');
    await ask(world, 'optout +442079461399 Sealed before');
    // First give the bot both keys, so that it can read whatever either key has sealed.
    await world.stop();
    await world.start({ ENCRYPTION_KEY: `${old},${fresh}` });
    const rotated = await admin(['rotate-keys'], '', { ENCRYPTION_KEY: `${fresh},${old}` });
    expect(rotated.stdout).toMatch(/^\d+ secrets were sealed again under the first key/);
    expect(await sendText(world, '+442079461304 While both are known')).toMatch(/^✅ \*Sent\*/);
    await world.stop();
    const stale = await world.runMain();
    expect(stale.stderr).toMatch(/^ENCRYPTION_KEY does not fit the stored data/);
    const lone = await admin(['rotate-keys'], '', { ENCRYPTION_KEY: old });
    expect(lone.code).toBe(1);
    expect(lone.stderr).toMatch(/^ENCRYPTION_KEY does not fit the stored data/);
    world.environment.ENCRYPTION_KEY = fresh;
    await world.start();
    expect(await sendText(world, '+442079461305 With the new key alone')).toMatch(/^✅ \*Sent\*/);
    expect(await ask(world, 'send +442079461399 Hi')).toContain('“Sealed before”');
    await eventually(() => rows(world, "SELECT * FROM outbox WHERE state <> 'posted'").length === 0);
  });

  it('forget-keys, after a lost key, stops the jobs: their requests do not come back', async () => {
    world.service.revokeKey('acme-new-key-0005');
    const list = { recipients: '+442079461321\n+442079461322', message: 'Before the key was lost' };
    await confirmBulk(world, await draftBulk(world, list));
    await cardSaying(world, /^⏸ \*Paused\*[\s\S]*API key/);
    await world.stop();
    world.environment.ENCRYPTION_KEY = randomBytes(32).toString('base64');
    expect((await admin(['forget-keys'])).stderr).toMatch(/Jobs stop.*--yes/);
    const forgotten = await admin(['forget-keys', '--yes']);
    expect(forgotten.stdout).toMatch(/^Jobs stopped: 1 · instances forgotten: 1\. Start the bot/);
    await world.start();
    await cardSaying(world, /^⏹ \*Stopped\*/);
  });

  it('no command said a key, a stack or a token', () => {
    for (const key of [ACME_KEY, BIRCH_KEY, 'acme-new-key-0005', 'no-such-key-5555', 'two words'])
      expect(said()).not.toContain(key);
    expect(said()).not.toMatch(/^\s+at |node:internal/m);
    expect(said()).not.toContain(world.environment.SLACK_BOT_TOKEN);
    expect(world.dataBytes()).not.toContain('acme-new-key-0005');
  });
});

sideBySide('npm run admin, where a list was refused', () => {
  let world: World;
  const { admin, said } = commandsOn(() => world);
  beforeAll(async () => {
    world = await newWorld();
    await world.start();
    await link(world);
  });

  it('check-refusals says what it does, asks for the phone, sends once, and saves what the operator decides', async () => {
    const { service } = world;
    const bulk = () => service.requests.filter(({ endpoint }) => endpoint === 'bulk').length;
    const check = (input: string) => admin(['check-refusals', '--instance', 'Acme'], input);
    expect((await admin(['check-refusals'], '')).stderr).toMatch(/There are: "Acme"/);

    const stopped = await check('');
    expect(stopped.stdout).toMatch(/one request with two texts.*\n.*\n.*\nThe check costs at most 2 credits/);
    expect(stopped.stderr).toMatch(/Nothing was sent/);
    expect(bulk()).toBe(0);

    service.setSwitches({ bulkRefusal: { kind: 'rolls_back' } });
    const sent = await check('+44 7700 900999\nyes\n\n');
    expect(sent.stdout).toMatch(/Seen: refused with 422, 0 credits charged\.\n/);
    expect(sent.stdout).toMatch(/Saved\. Refused lists of "Acme": In part/);
    expect(service.messages.filter(({ phone }) => phone === '447700900999')).toHaveLength(1);

    service.setSwitches({ bulkRefusal: { kind: 'whole' } });
    const whole = await check('+44 7700 900999\nno\nneither\n');
    expect(whole.stderr).toMatch(/not a rule.*run the command again/);
    // If the input ends, nothing is decided.
    for (const input of ['', 'no\n']) {
      const cut = await check(input);
      expect([cut.code, cut.stdout]).toEqual([1, expect.not.stringMatching(/Saved|rule stays/)]);
      expect(cut.stderr).toMatch(/The input ended.*run the command again/);
    }
    // The command goes on where it stopped, and sends nothing again.
    const again = await check('no\n\n');
    expect(again.stdout).toMatch(/Saved\. Refused lists of "Acme": All or nothing/);
    expect(bulk()).toBe(2);
    const { people } = world.slack;
    expect(await ask(world, 'status', { user: people.admin })).toMatch(
      /the provider sends nothing of a list that it refuses\nChecked by the operator.*no text arrived/,
    );
    expect(said()).not.toMatch(/7700|99900|sandbox-key/);
  });
});
