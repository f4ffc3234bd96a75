import type { PageState } from 'slack-playground';
import type { PanelStates, PhonesPanelState, ServicePanelState } from '../../../local/panels.ts';
import { type StepId, tryThisOf } from '../../../local/steps.ts';
import {
  screenOf as anyScreenOf,
  screens as anyScreens,
} from '../../../packages/slack-playground/test/helpers/page-fixture-states.ts';
import { suggestedCommands } from '../../../src/slack/ui/command-list.ts';

const KEY = { name: 'Acme', key: 'sandbox-key-acme-0001' };

const SHOWN: PanelStates = {
  phones: { textsInAll: 0, texts: [] },
  service: {
    accounts: [
      { id: 1, name: 'Acme Ltd', credits: 1000 },
      { id: 2, name: 'Birch & Co', credits: 3 },
    ],
    keys: [
      { name: 'Acme', key: 'sandbox-key-acme-0001', account: 1, revoked: false },
      { name: 'Birch', key: 'sandbox-key-birch-0002', account: 2, revoked: false },
    ],
    faults: [
      { id: 'answer_lost', sentence: 'The next text arrives, its answer is lost', active: false },
      { id: 'cut_off', sentence: 'The next text fails before it is sent', active: false },
      { id: 'hangs', sentence: 'The service hangs', active: false },
      { id: 'too_many', sentence: 'It says: too many requests', active: false },
      { id: 'broken', sentence: 'It breaks down (500)', active: false },
      { id: 'proxy_page', sentence: 'A proxy answers with a web page', active: false },
      { id: 'key_refused', sentence: 'The key is refused', active: false },
    ],
    refusedLists: {
      chosen: 'whole',
      choices: [
        { id: 'whole', sentence: 'Nothing sent' },
        { id: 'charges', sentence: 'First part sent and charged' },
      ],
      number: '+44 7700 900404',
    },
  },
};

/** The screen of `as`, with the product's steps and panels and with `messages` in #sales. */
export function screenOf(...[as, fields]: Parameters<typeof anyScreenOf>): PageState {
  const screen = anyScreenOf(as, fields);
  return {
    ...screen,
    bot: { ...screen.bot, name: 'Switchboard' },
    channels: screen.channels.map((one) => (one.kind === 'im' ? { ...one, name: 'Switchboard' } : one)),
    commands: suggestedCommands(),
    help: '/sms help',
    tryThis: tryThisOf(new Set(), KEY),
    tabs: [
      { id: 'phones', name: 'Phones', icon: 'phone' },
      { id: 'service', name: 'Service', icon: 'dial' },
    ],
    panels: SHOWN,
  };
}

/** The screens of all people that one can act as. */
export const screens = (fields: Parameters<typeof anyScreens>[0] = {}) => anyScreens(fields, screenOf);

/** What the panels show in a state. */
export const shownIn = (state: PageState) => state.panels as PanelStates;

/** The state with these texts on phones. */
export function withTexts(
  texts: PhonesPanelState['texts'],
  textsInAll = texts.length,
): (state: PageState) => PageState {
  return (state) => ({ ...state, panels: { ...state.panels, phones: { texts, textsInAll } } });
}

/** The state with another service. */
export function withService(fields: Partial<ServicePanelState>): (state: PageState) => PageState {
  return (state) => ({
    ...state,
    panels: { ...state.panels, service: { ...shownIn(state).service, ...fields } },
  });
}

/** The state with these steps done. */
export function withDone(...done: StepId[]): (state: PageState) => PageState {
  return (state) => ({ ...state, tryThis: tryThisOf(new Set(done), KEY) });
}
