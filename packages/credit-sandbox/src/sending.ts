import type { Books, RequestRecord } from './books.ts';
import { costsOf } from './price.ts';
import type { Message } from './schema.ts';
import type { InstanceRecord } from './snapshot.ts';
import type { Switches } from './switches.ts';

/** Who sends: the instance of the key, and the request's record, which notes the charge and the messages. */
export interface Sender {
  instance: InstanceRecord;
  record: RequestRecord;
}

/** Charges for messages and sends them, in the books. */
export function createSending(books: Books, switches: () => Switches) {
  /** How many of the first messages the credits cover. */
  function coveredOf(costs: number[], { instance }: Sender): number {
    const { credits } = books.account(instance.user_id);
    let covered = costs.length;
    while (covered > 0 && sum(costs.slice(0, covered)) > credits) covered -= 1;
    return covered;
  }

  /** Sends the first of `messages` before a refusal, as the switch `bulkRefusal` says. */
  function sendBeforeRefusal(messages: Message[], sender: Sender): void {
    const { bulkRefusal, price } = switches();
    const costs = costsOf(messages, price);
    const covered = coveredOf(costs, sender);
    if (bulkRefusal.kind === 'whole' || covered === 0) return;
    const credits = sum(costs.slice(0, covered));
    if (bulkRefusal.kind === 'charges') charge(credits, sender);
    if ('ms' in bulkRefusal) {
      const { user_id } = sender.instance;
      sender.record.creditsCharged = credits;
      const booked = bulkRefusal.kind === 'shows_old_balance';
      books.chargeLate({ user_id, credits, at: Date.now() + bulkRefusal.ms, booked });
    }
    const at = new Date();
    for (const message of messages.slice(0, covered)) deliver(message, sender, at);
  }

  /** Charges `cost`. Returns the balance that is left, as the service shows it. */
  function charge(cost: number, { record, instance }: Sender): number {
    if (cost > 0) books.topUp(instance.user_id, -cost);
    record.creditsCharged = cost;
    return books.shownCredits(instance.user_id);
  }

  /** Notes a sent message. Returns its id. */
  function deliver({ phone, message: text }: Message, { record, instance }: Sender, at: Date): number {
    const { name, key, user_id } = instance;
    const id = newId();
    const { status } = switches();
    record.messagesSent += 1;
    const from = { instance: name, key, user_id, request: record.id };
    books.noteMessage({ id, phone, text, status, ...from, at: at.getTime() });
    return id;
  }

  /** The id of the next message, sent or not. */
  function newId(): number {
    return switches().firstMessageId + books.countMessage();
  }

  return { coveredOf, sendBeforeRefusal, charge, deliver, newId };
}

export function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
