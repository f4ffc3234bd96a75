import type { Context, Hono } from 'hono';
import { type Env, failed, type Settle } from './api.ts';
import type { Files } from './files.ts';
import { Refusal } from './refusal.ts';

/** Slack redirects here if a browser that is not signed in asks for a file. */
const LOGIN_PAGE = '<!doctype html><title>Sign in</title><h1>Sign in to the playground</h1>';

/** The bytes of the first file of a form, or of the body itself. */
async function postedBytes(c: Context<Env>): Promise<Uint8Array<ArrayBuffer>> {
  if (!c.req.header('content-type')?.startsWith('multipart/form-data')) {
    return new Uint8Array(await c.req.arrayBuffer());
  }
  const form = await c.req.formData();
  const file = [...form.values()].find((field): field is File => typeof field !== 'string');
  return new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer());
}

/**
 * Receives uploads, and serves files to whoever has the bot's token. Faults call them `upload_url` and `url_private`.
 * Source: docs.slack.dev/messaging/working-with-files.
 */
export function addFileRoutes(app: Hono<Env>, settle: Settle, files: Files, botToken: string): void {
  app.post('/upload/v1/:key', async (c) => {
    const bytes = await postedBytes(c);
    const args = { length: bytes.byteLength };
    return settle(c, 'upload_url', args, {
      refuse: failed,
      work: () => {
        files.receive(c.req.path, bytes);
        return { status: 200, result: { ok: true }, send: () => c.text(`OK - ${bytes.byteLength}`) };
      },
    });
  });

  function give(c: Context<Env>): Response | Promise<Response> {
    const id = /-(F[A-Z0-9]+)$/.exec(c.req.param('place') ?? '')?.[1] ?? '';
    // If somebody may not read a file, Slack answers with no error: it asks them to sign in.
    const signIn = ({ code }: Refusal) => ({
      status: 302 as const,
      result: { ok: false, error: code },
      send: () => c.redirect(`/?redir=${encodeURIComponent(c.req.path)}`),
    });
    const work = () => {
      if (c.req.header('authorization') !== `Bearer ${botToken}`) throw new Refusal('not_authed');
      const bytes = files.read(id);
      const info = files.get(id)?.info;
      if (!bytes || !info) return failed(new Refusal('no_such_url'));
      const result = { ok: true, bytes: bytes.byteLength };
      return { status: 200 as const, result, send: () => c.body(bytes, 200, headersOf(info)) };
    };
    return settle(c, 'url_private', { file: id }, { refuse: signIn, work });
  }

  app.get('/files-pri/:place/download/:name', give);
  app.get('/files-pri/:place/:name', give);
  app.get('/', (c) => c.html(LOGIN_PAGE));
}

/** Headers with which no browser shows the file as a page. */
export function headersOf({ name, mimetype }: { name: string; mimetype: string }): Record<string, string> {
  return {
    'Content-Type': mimetype,
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'X-Content-Type-Options': 'nosniff',
  };
}
