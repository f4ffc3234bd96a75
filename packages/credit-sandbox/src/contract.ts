import type { Books, RequestRecord } from './books.ts';
import type { Endpoint } from './faults.ts';
import { costsOf } from './price.ts';
import type { FieldErrors, Replies, Reply } from './replies.ts';
import { MAX_BULK_MESSAGES, MAX_MESSAGE_CHARACTERS, type Message } from './schema.ts';
import { createSending, type Sender, sum } from './sending.ts';
import type { Switches } from './switches.ts';
import { fieldErrorsOf } from './validation.ts';

/** A request at one of the three endpoints, read to its end. */
export interface Call {
  endpoint: Endpoint;
  /** The key of the Authorization header; null if it is missing. */
  key: string | null;
  contentType: string | undefined;
  body: string;
  /** If the key is over its rate, ms until the service takes its next request; else null. */
  overRateMs: number | null;
  /** Refuses a valid send for lack of credits, whatever the balance is. */
  noCredits: boolean;
  /** The contract notes the charge and the messages here. */
  record: RequestRecord;
}

/** A call to send texts, with a key that works. */
type Order = Call & Sender;

/**
 * Answers calls as the interface document says, and charges for them. Each answer is made in one turn of the loop: no
 * other call comes between reading the balance and charging it.
 */
export function createContract(books: Books, replies: Replies, switches: () => Switches) {
  const { coveredOf, sendBeforeRefusal, charge, deliver, newId } = createSending(books, switches);

  function answer(call: Call): Reply {
    if (call.key === null) return replies.missingKey();
    const instance = books.instanceOf(call.key);
    if (!instance || instance.revoked) return replies.invalidKey();
    if (call.overRateMs !== null) return replies.tooFast(call.overRateMs);
    if (call.endpoint === 'balance') {
      const credits = books.shownCredits(instance.user_id);
      return replies.success(200, { ...books.account(instance.user_id), credits });
    }
    const body = jsonOf(call);
    if (body === undefined)
      return replies.invalid({ body: ['The body must be JSON, and its Content-Type too.'] });
    const order = { ...call, instance };
    return call.endpoint === 'send' ? send(order, body) : sendBulk(order, body);
  }

  function send(order: Order, body: unknown): Reply {
    const { price, status } = switches();
    const errors = fieldErrorsOf(body, MAX_MESSAGE_CHARACTERS, switches());
    if (Object.keys(errors).length > 0) return replies.invalid(errors);
    const message = body as Message;
    const [credits_used = 0] = costsOf([message], price);
    const refusal = shortOf(credits_used, order);
    if (refusal) return refusal;
    const at = new Date();
    const credits_remaining = charge(credits_used, order);
    const message_id = deliver(message, order, at);
    const sent_at = at.toISOString();
    return replies.success(201, { message_id, status, credits_used, credits_remaining, sent_at });
  }

  function sendBulk(order: Order, body: unknown): Reply {
    const { bulkInvalid, bulkMessageCharacters, bulkShortOfCredits, price } = switches();
    const asked = (body as { messages?: unknown } | null)?.messages;
    if (!Array.isArray(asked)) return replies.invalid({ messages: ['The messages field must be an array.'] });
    if (asked.length === 0) return replies.invalid({ messages: ['The messages field must have 1 or more.'] });
    if (asked.length > MAX_BULK_MESSAGES) return replies.tooManyMessages();

    const errors: FieldErrors = {};
    const valid = asked.filter((message: unknown, index): message is Message => {
      const found = Object.entries(fieldErrorsOf(message, bulkMessageCharacters, switches()));
      for (const [field, sentences] of found) errors[`messages.${index}.${field}`] = sentences;
      return found.length === 0;
    });
    const refused = valid.length < asked.length && bulkInvalid === 'refuse';
    if (refused || valid.length === 0) {
      const firstBad = asked.findIndex((message) => !valid.includes(message));
      sendBeforeRefusal(asked.slice(0, firstBad), order);
      return replies.invalid(errors);
    }

    const costs = costsOf(valid, price);
    const toSend = bulkShortOfCredits === 'send_some' ? coveredOf(costs, order) : valid.length;
    const credits_used = sum(costs.slice(0, toSend));
    const refusal = shortOf(toSend === 0 ? sum(costs) : credits_used, order, valid);
    if (refusal) return refusal;

    const credits_remaining = charge(credits_used, order);
    const messages = deliverAll(asked, new Set(valid.slice(0, toSend)), order);
    return replies.success(201, { messages_sent: toSend, credits_used, credits_remaining, messages });
  }

  function deliverAll(asked: unknown[], toSend: Set<Message>, order: Order) {
    const { bulkOrder, bulkUnsent, status } = switches();
    const at = new Date();
    const entries: { message_id: number; phone: string; status: string }[] = [];
    for (const message of asked as Message[]) {
      const extras = replies.extras();
      if (toSend.has(message)) {
        const message_id = deliver(message, order, at);
        entries.push({ message_id, phone: message.phone, status, ...extras });
      } else if (bulkUnsent === 'listed') {
        const phone = String(message?.phone ?? '');
        entries.push({ message_id: newId(), phone, status: 'failed', ...extras });
      }
    }
    return bulkOrder === 'reversed' ? entries.reverse() : entries;
  }

  /** The refusal if the credits don't cover the cost. Before it, the first of `messages` may be sent. */
  function shortOf(cost: number, order: Order, messages: Message[] = []): Reply | null {
    const { credits } = books.account(order.instance.user_id);
    if (order.noCredits) return replies.shortOfCredits(cost, Math.max(0, Math.min(credits, cost - 1)));
    if (cost <= credits) return null;
    sendBeforeRefusal(messages, order);
    return replies.shortOfCredits(cost, books.account(order.instance.user_id).credits);
  }

  return { answer };
}

/** The body as JSON; undefined if the body or its Content-Type is anything else ("What the service does"). */
function jsonOf({ body, contentType }: Call): unknown {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
