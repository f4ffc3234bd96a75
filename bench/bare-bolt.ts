import { App } from '@slack/bolt';

/**
 * The least that a Slack app can be: it acknowledges a command and answers with the blocks that it was given. With
 * ASKS=true it asks the service for the balance before it answers, as every app that tells a balance must.
 */
const {
  PORT,
  SIGNING_SECRET,
  BOT_TOKEN,
  SLACK_API,
  ANSWER = '{}',
  ASKS,
  BALANCE_URL = '',
  API_KEY,
} = process.env;

const app = new App({
  token: BOT_TOKEN ?? '',
  signingSecret: SIGNING_SECRET ?? '',
  clientOptions: { slackApiUrl: SLACK_API ?? '' },
});
const answer = JSON.parse(ANSWER);

app.command('/sms', async ({ ack, respond }) => {
  await ack();
  if (ASKS === 'true') {
    const asked = await fetch(BALANCE_URL, { headers: { authorization: `Bearer ${API_KEY}` } });
    await asked.json();
  }
  await respond(answer);
});

await app.start({ port: Number(PORT), host: '127.0.0.1' } as unknown as number);
