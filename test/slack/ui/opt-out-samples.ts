import type { ModalView } from '@slack/types';
import type { OptOutView } from '../../../src/core/opt-outs/sealed-opt-outs.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { message } from '../../../src/slack/ui/blocks.ts';
import * as imports from '../../../src/slack/ui/limits/opt-out-forms.ts';
import { NO_NUMBER_IN_MESSAGE, optInForm, optOutForm } from '../../../src/slack/ui/limits/opt-out-forms.ts';
import * as optOuts from '../../../src/slack/ui/limits/opt-outs.ts';
import { whichNumber } from '../../../src/slack/ui/texts/typed-problems.ts';
import { aNumber } from '../../helpers/core-people.ts';
import { AT } from './samples.ts';

const MOST = 999_999;

function aView(nasty: string): OptOutView {
  const event = { to: 'out', by: 'UANA', at: AT, via: 'import', reason: nasty } as const;
  return { e164: aNumber().e164, isOut: true, events: [event] };
}

/** Every message about opt-outs. People's words are `nasty`. */
export function optOutMessagesWith(nasty: string): Message[] {
  const view = aView(nasty);
  const [event] = view.events;
  const imported = {
    kind: 'imported' as const,
    numbers: MOST,
    changed: 1,
    wrong: { wrong_number: MOST, duplicate: 1, empty_placeholder: 0, too_long: 0 },
  };
  const newest = [view, { isOut: true, events: view.events }];
  return [
    optOuts.optedOutMessage(aNumber(), undefined),
    optOuts.optedOutMessage(aNumber(), event),
    optOuts.optedInMessage(aNumber()),
    optOuts.notOptedOut(aNumber()),
    optOuts.optedOutRefusal(aNumber(), view),
    optOuts.OPT_OUTS_FOR_ADMINS,
    optOuts.OPT_OUTS_FOR_SENDERS,
    optOuts.optOutUsage('optout'),
    optOuts.optOutUsage('optout', 'There is more than one.', optOuts.IMPORT_BUTTON),
    optOuts.optOutUsage('optin', whichNumber([aNumber(), aNumber()])),
    optOuts.optOutsMessage({ total: 0, newest: [], mayChange: false, mayExport: true }),
    optOuts.optOutsMessage({ total: MOST, newest, mayChange: true, mayExport: true }),
    optOuts.allOptedOut(1),
    optOuts.allOptedOut(MOST),
    ...(['delivered', 'failed'] as const).map((file) => message(imports.importedWords(imported, file))),
    message(imports.OPT_OUTS_NOT_EXPORTED),
    message(NO_NUMBER_IN_MESSAGE),
    message(imports.optOutsComment(MOST)),
  ];
}

/** Every form about opt-outs. */
export function optOutViewsWith(nasty: string): ModalView[] {
  const metadata = '{}';
  const numbers = Array.from({ length: 20 }, (_, at) => aNumber(`+44 20 7946 09${String(at + 10)}`));
  return [
    optInForm({ number: aNumber(), found: aView(nasty), metadata }),
    optOutForm({ numbers: numbers.slice(0, 1), metadata }),
    optOutForm({ numbers, metadata }),
    imports.optOutImportForm(metadata),
    imports.importingView(),
    imports.importingView(MOST),
  ];
}
