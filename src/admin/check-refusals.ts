import { createInterface } from 'node:readline';
import { type Instance, OPERATOR } from '../core/accounts/instances.ts';
import { type Arrived, proposalOf } from '../core/accounts/list-refusal-seen.ts';
import type { CheckProgress } from '../core/accounts/list-refusal-steps.ts';
import { REFUSAL_MODES, type RefusalMode } from '../core/accounts/list-refusals.ts';
import type { Core } from '../core/core.ts';
import { readNumber } from '../core/texts/phone.ts';
import { oneLine } from '../slack/ui/safe-text.ts';
import {
  notNowInWords,
  proposalInWords,
  RULES,
  seenInWords,
  WHY_NOTHING_TOLD,
  whatItDoes,
} from '../slack/ui/setup/refusal-words.ts';
import { numberSentence } from '../slack/ui/texts/typed-problems.ts';
import { AdminError, say } from './terminal.ts';
import { chosenInstance, type Tools } from './tools.ts';

/** Asks on the terminal, or reads the next piped line. @throws AdminError that says `atEnd`, if the input has ended */
type Ask = (question: string, atEnd?: string) => Promise<string>;

const ANSWERS: { [typed: string]: Arrived } = { y: 'yes', yes: 'yes', n: 'no', no: 'no' };

/** `check-refusals --instance NAME`: the check of refused lists that admins start in Slack. A bot may run meanwhile. */
export async function checkRefusals({ team, withCore, options }: Tools): Promise<void> {
  const workspace = await team();
  await withCore(async (core) => {
    const instance = chosenInstance(await core.instances.list(workspace), options.instance);
    const lines = createInterface({ input: process.stdin });
    const typed = lines[Symbol.asyncIterator]();
    const ask: Ask = async (question, atEnd = 'Nothing was saved') => {
      process.stdout.write(`${question} `);
      const { value, done } = await typed.next();
      if (!process.stdin.isTTY || done) process.stdout.write('\n');
      // Enter alone is an answer. At the end of the input, nobody has pressed Enter.
      if (done) throw new AdminError(`The input ended. ${atEnd}; run the command again to go on.`);
      return value.trim();
    };
    try {
      await check(core, instance, ask);
    } finally {
      lines.close();
    }
  });
}

async function check(core: Core, instance: Instance, ask: Ask): Promise<void> {
  const { refusalChecks } = core;
  let progress = await refusalChecks.progress(instance);
  if (progress.step === 'sending') throw new AdminError('A check is running. Please look again in a minute.');
  if (progress.step !== 'asked') progress = await begin(core, instance, progress.count, ask);
  const { finding, count } = progress;
  if (!finding) throw new AdminError('This check has seen nothing. Please begin another one.');
  const ruleStays = () => say(`Could not tell. ${WHY_NOTHING_TOLD[finding.seen.answer]} The rule stays.`);
  say(`Seen: ${seenInWords(finding)}.`);
  if (progress.step !== 'asked') return ruleStays();

  const said = await ask(
    'Did the text arrive on the phone? Wait a minute before you say no. (yes / no / unsure)',
  );
  const arrived = ANSWERS[said.toLowerCase()] ?? 'unsure';
  const proposal = proposalOf(finding.seen, arrived);
  const mode = proposal && (await choose(proposal, ask));
  await refusalChecks.end(instance, { count, arrived, by: OPERATOR, ...(mode && { mode }) });
  if (mode) say(`Saved. Refused lists of "${oneLine(instance.name)}": ${RULES[mode]}.`);
  else ruleStays();
}

async function begin(core: Core, instance: Instance, count: number, ask: Ask): Promise<CheckProgress> {
  for (const sentence of whatItDoes(await core.refusalChecks.mostCredits(instance))) say(sentence);
  const own = readNumber(
    await ask('Your own phone, with + and country code (empty: stop here):', 'Nothing was sent'),
  );
  if (own.kind !== 'number') {
    const why =
      own.kind === 'problem' ? numberSentence(own) : 'Write the number with + and its country code.';
    throw new AdminError(`${why} Nothing was sent.`);
  }
  say('Sending the two texts, and watching the balance …');
  const begun = await core.refusalChecks.begin(instance, { count, phone: own.digits, by: OPERATOR });
  if (begun.kind === 'done') return begun.progress;
  throw new AdminError(
    begun.kind === 'not_first'
      ? 'Somebody else has begun a check, so this one sent nothing.'
      : notNowInWords(begun),
  );
}

async function choose(proposal: RefusalMode, ask: Ask): Promise<RefusalMode> {
  say(proposalInWords(proposal));
  for (const mode of REFUSAL_MODES) say(`  ${mode}: ${RULES[mode]}`);
  const typed = await ask(`Which rule? (Enter: ${proposal})`);
  if (typed === '') return proposal;
  const mode = REFUSAL_MODES.find((each) => each === typed);
  if (!mode) throw new AdminError('This is not a rule. Nothing was saved; run the command again to go on.');
  return mode;
}
