import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { streamSSE } from 'hono/streaming';
import type { z } from 'zod';
import { ActionProblem } from './action-problem.ts';
import { INVITE } from './invite.ts';
import { type As, createPageActions, DONE } from './page-actions.ts';
import { addPageFileRoutes } from './page-file-routes.ts';
import { readPageFile } from './page-files.ts';
import type { PageOptions, Subscribe } from './page-server.ts';
import { type ActionAnswer, BODIES, type PageState } from './page-state.ts';
import { nameOf, screenOf } from './screen.ts';
import type { User } from './types.ts';

/** Changes within this time make one event, ms. */
const COALESCE_MS = 30;
/** How often a stream without changes sends a comment, so that nothing between closes it, ms. */
const HEARTBEAT_MS = 15_000;
const MAX_BODY_BYTES = 1_000_000;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const NOT_TO_BE_ASKED = 'This is not what the page may ask for.';

/** The posts by which a person does something: their bodies name the person. */
type PersonPath = Exclude<Extract<keyof typeof BODIES, `/act/${string}`>, '/act/step'>;

/** Routes for the page's files, its events and its posts. `changes` calls its listener when a screen may differ. */
export function createPageRoutes(options: PageOptions, changes: Subscribe): Hono {
  const { slack, people, home, help, bot, steps, panels } = options;
  const actions = createPageActions({
    slack,
    commands: [...new Set(options.commands.map(({ word }) => word.split(' ')[0] ?? ''))],
    onCommand: (user) => options.onCommand?.(user),
  });
  const app = new Hono();

  function needPerson(person: string): User {
    const user = people.find((one) => one.id === person);
    if (!user) throw new ActionProblem('There is nobody with this id.');
    return user;
  }

  function stateFor(user: User): PageState {
    return {
      ...screenOf(slack, people, user),
      bot: {
        userId: slack.bot.user_id,
        name: nameOf(slack.user(slack.bot.user_id)),
        state: bot?.state() ?? 'running',
      },
      commands: [...options.commands, INVITE].filter((command) => mayUse(user, command)),
      home: home.id,
      ...(help !== undefined && { help }),
      ...(steps && { tryThis: steps.state() }),
      tabs: panels?.tabs ?? [],
      panels: panels?.state() ?? {},
    };
  }

  app.use(protect);
  // Before the limit on bodies: files may be larger.
  addPageFileRoutes(app, slack, needPerson, actions);
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES }));

  app.get('/', (c) => sendFile(c, 'index.html'));
  app.get('/page/*', (c) => sendFile(c, c.req.path.slice('/page/'.length)));
  if (panels) app.get('/panels/*', (c) => sendFile(c, c.req.path.slice('/panels/'.length), panels.folder));

  app.get('/events', (c) => {
    const user = needPerson(c.req.query('as') ?? people[0]?.id ?? '');
    return streamStates(c, changes, () => stateFor(user));
  });

  /** A post whose body is checked. */
  function post<Path extends keyof typeof BODIES>(
    path: Path,
    answer: (body: z.output<(typeof BODIES)[Path]>) => ActionAnswer | Promise<ActionAnswer>,
  ): void {
    app.post(path, async (c) => {
      const parsed = BODIES[path].safeParse(await jsonOf(c));
      if (!parsed.success) return c.json({ ok: false, problem: problemOf(parsed.error) }, 400);
      return c.json(await answer(parsed.data as z.output<(typeof BODIES)[Path]>));
    });
  }

  const acts: { [Path in PersonPath]: (given: As<Path>) => ActionAnswer | Promise<ActionAnswer> } = {
    '/act/command': actions.command,
    '/act/shortcut': actions.shortcut,
    '/act/message-shortcut': actions.messageShortcut,
    '/act/open-app': actions.openApp,
    '/act/say': actions.say,
    '/act/click': actions.click,
    '/act/view-click': actions.clickInView,
    '/act/submit': actions.submit,
    '/act/detach': actions.detach,
    '/act/close': actions.close,
  };
  // Each action takes what its own path's body holds, which TypeScript does not see in a loop.
  for (const [path, act] of Object.entries(acts)) {
    post(path as PersonPath, ({ as, ...given }) => act({ user: needPerson(as), ...given } as never));
  }
  post('/act/step', ({ id: step }) => {
    if (!steps) throw new ActionProblem('There are no steps.');
    steps.start(step);
    return DONE;
  });
  if (panels) {
    app.post('/panels/:action', async (c) => {
      const body = await jsonOf(c);
      if (body === undefined) throw new ActionProblem(NOT_TO_BE_ASKED);
      await panels.act(c.req.param('action'), body);
      return c.json(DONE);
    });
  }
  post('/bot/restart', async () => {
    if (!bot) throw new ActionProblem('The bot runs on its own: restart it where you started it.');
    await bot.restart();
    return DONE;
  });
  post('/start-over', async () => {
    if (options.startOver) await options.startOver();
    else slack.reset();
    return DONE;
  });

  app.notFound((c) => c.json({ ok: false, problem: 'There is nothing at this address.' }, 404));
  app.onError((error, c) => {
    if (error instanceof ActionProblem) return c.json({ ok: false, problem: error.message }, 400);
    return c.json({ ok: false, problem: `The playground itself failed: ${error.message}` }, 500);
  });
  return app;
}

/** Adds the headers, and refuses requests of other sites. */
const protect: MiddlewareHandler = async (c, next) => {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  const { host = '', origin } = c.req.header();
  // Another site's page could read along if the site's name pointed to this machine.
  const here = isOwnHost(host) && (origin === undefined || origin === `http://${host}`);
  if (!here) return c.json({ ok: false, problem: 'The playground answers to this computer only.' }, 403);
  await next();
  return undefined;
};

async function sendFile(c: Context, path: string, folder?: string): Promise<Response> {
  const file = await readPageFile(path, folder);
  return file ? c.body(file.body, 200, { 'Content-Type': file.type }) : c.notFound();
}

/** Sends the state at once and after each change in which it differs. */
function streamStates(c: Context, changes: Subscribe, state: () => PageState): Response {
  return streamSSE(c, async (stream) => {
    let wake = () => {};
    const stop = changes(() => wake());
    stream.onAbort(() => wake());
    for (let sent = ''; !stream.aborted; ) {
      const { promise, resolve } = Promise.withResolvers<'changed' | 'silent'>();
      wake = () => resolve('changed');
      const timer = setTimeout(() => resolve('silent'), HEARTBEAT_MS);
      const data = JSON.stringify(state());
      if (data !== sent) await stream.writeSSE({ data });
      sent = data;
      if ((await promise) === 'silent') await stream.write(': here\n\n');
      clearTimeout(timer);
      await stream.sleep(COALESCE_MS);
    }
    stop();
  });
}

/** The body as JSON; undefined for any other content type, so that no form of another site counts. */
async function jsonOf(c: Context): Promise<unknown> {
  const isJson = c.req.header('content-type')?.startsWith('application/json');
  return isJson ? c.req.json().catch(() => undefined) : undefined;
}

/** People of other workspaces have no commands. */
function mayUse(user: User, { for: audience }: PageState['commands'][number]): boolean {
  if (user.is_stranger) return false;
  return audience === undefined || (audience === 'admins' ? user.is_admin : !user.is_restricted);
}

/** `localhost`, `127.0.0.1` or `[::1]`, with any port. */
function isOwnHost(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.');
  return where ? `This is not what the page may ask for: look at “${where}”.` : NOT_TO_BE_ASKED;
}
