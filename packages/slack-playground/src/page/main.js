// @ts-check
import { createAnnouncer } from './announce.js';
import { createAsk } from './ask.js';
import { createBotState } from './bot-state.js';
import { createBusy } from './busy.js';
import { createChannel } from './channel.js';
import { createComposer } from './composer.js';
import { createConnection } from './connection.js';
import { createAppTabs, createHome } from './home.js';
import { createModals } from './modal.js';
import { plainText, textObject } from './mrkdwn.js';
import { createPanels } from './panels.js';
import { nameOf, titleOf, whoAmI } from './people.js';
import { post, postFile } from './post.js';
import { createSidebar } from './sidebar.js';
import { createSteps } from './steps.js';
import { createTabs } from './tabs.js';
import { createToasts } from './toasts.js';
import { createTryThis } from './try-this.js';
import { createUnread } from './unread.js';
import { createViewer } from './viewer.js';

/** @import { PageState } from '../page-state.ts' */
/** @import { Use } from './elements.js' */
/** @import { Answer } from './post.js' */

const LOST = 'The playground does not answer. This page goes on as soon as it is back.';

/** @param {string} selector @returns {any} */
const find = (selector) => document.querySelector(selector);

/** @type {PageState | undefined} */
let state;
let current = sessionStorage.getItem('channel') ?? '';
/** The open tab of the app's own place, if that is open. @type {'home' | 'messages' | undefined} */
let appTab = /** @type {any} */ (sessionStorage.getItem('app-tab')) ?? undefined;
/** The person whose visit to its own place the app knows of. */
let atHome = '';
let lost = false;
/** @type {Promise<void> | undefined} */
let opened;

const announce = createAnnouncer(find('#announcer'));
const toast = createToasts(find('.toasts'));
const ask = createAsk(find('#ask'));
const viewer = createViewer(find('#viewer'));
const busy = createBusy();
const botState = createBotState();
const unread = createUnread();
const connection = createConnection({ onState: take, onLost: noteLoss });

const names = {
  person: (/** @type {string} */ id) => state && nameOf(state, id),
  channel: (/** @type {string} */ id) => state?.channels.find((channel) => channel.id === id)?.name,
  openChannel,
};

const composer = createComposer({
  announce,
  sent: () => channelPart.toEnd(),
  shortcut: (callback_id, channel) =>
    tell(post('/act/shortcut', { as: state?.as ?? '', callback_id, channel })),
});
const steps = createSteps({
  state: () => state,
  actAs,
  openChannel,
  fill,
  remind: composer.remind,
  complain: composer.complain,
  tell,
});
const tryThis = createTryThis({ start: steps.start, announce });
const tabs = createTabs({ root: find('.tabs'), app: find('.app') });
const sidebar = createSidebar({
  root: find('#panel-places'),
  openChannel,
  openApp: () => openApp('home'),
  actAs,
});
const channelPart = createChannel({
  root: find('#panel-channel'),
  names,
  announce,
  openFile: (file) => viewer(file, state?.as ?? ''),
  card: tryThis.card,
  bot: botState.root,
  composer: composer.nodes,
  tabs: createAppTabs(openApp),
  shortcut: ({ channel, ts }, callback_id) =>
    tell(post('/act/message-shortcut', { as: state?.as ?? '', callback_id, channel, ts })),
  act: (message, use) =>
    tell(
      act(use, (as) => post('/act/click', { as, channel: message.channel, ts: message.ts, ...spotOf(use) })),
    ),
});
const home = createHome({
  root: find('#panel-app'),
  names,
  tabs: createAppTabs(openApp),
  bot: botState.root,
  act: (view, values, use) => tell(actInView(view, values, use)),
});
const panels = createPanels({
  root: find('.side'),
  announce,
  act: (action, body) => tell(post(`/panels/${action}`, body)),
  restart(control) {
    // On a small screen, the line about the bot's state is in another part of the page.
    tabs.show('channel');
    void tell(busy.during(control, () => post('/bot/restart', {})));
  },
  startOver,
});
const modals = createModals({
  dialog: find('#modal'),
  names,
  act: actInView,
  submit: (view, values, control) =>
    busy.during(control, () => post('/act/submit', { as: state?.as ?? '', view, values })),
  attach: (view, use, file) => postFile({ as: state?.as ?? '', view, ...spotOf(use), name: file.name }, file),
  detach: (view, use, file) =>
    post('/act/detach', { as: state?.as ?? '', view, ...spotOf(use), file: file.id }),
  close: (view, all) => tell(post('/act/close', { as: state?.as ?? '', view, ...(all && { all }) })),
  focusElsewhere: () => composer.focus(),
});

/** @param {string} view @param {Record<string, any>} values @param {Use} use */
function actInView(view, values, use) {
  return act(use, (as) => post('/act/view-click', { as, view, values, ...spotOf(use) }));
}

/** @param {Pick<Use, 'block' | 'element' | 'value'>} use */
const spotOf = ({ block, element, value }) => ({
  block_id: block.block_id,
  action_id: element.action_id,
  ...(value !== undefined && { value }),
});

/** Shows a toast if something went wrong. Resolves with whether all went well. @param {Promise<Answer | undefined>} answer */
async function tell(answer) {
  const { ok, problem } = (await answer) ?? { ok: true, problem: '' };
  if (!ok) toast(problem);
  return ok;
}

/**
 * Asks the element's question, if it has one; then does `work` as the person who acts.
 * @param {Use} use
 * @param {(as: string) => Promise<Answer>} work
 */
async function act({ element, control }, work) {
  if (element.confirm && !(await confirmed(element.confirm))) return undefined;
  const worked = () => work(state?.as ?? '');
  // A button waits for its answer. A menu does not: its last choice counts.
  return control.matches('button') ? busy.during(control, worked) : worked();
}

/** @param {any} confirm */
const confirmed = (confirm) =>
  ask({
    title: confirm.title?.text ?? 'Are you sure?',
    text: textObject(confirm.text, names),
    confirm: confirm.confirm?.text ?? 'Yes',
    deny: confirm.deny?.text ?? 'Cancel',
    danger: confirm.style === 'danger',
  });

/** @param {HTMLElement} control @param {string} text Says what is lost. */
async function startOver(control, text) {
  const sure = await ask({
    title: 'Start over?',
    text: plainText({ text }),
    confirm: 'Start over',
    deny: 'Keep everything',
    danger: true,
  });
  if (sure && (await tell(busy.during(control, () => post('/start-over', {})))))
    openChannel(state?.home ?? '');
}

/** @param {string} id */
function openChannel(id) {
  const direct = state?.channels.find((channel) => channel.id === id && channel.isWithBot);
  if (direct && state?.app.tabs.includes('messages')) return openApp('messages');
  current = id;
  appTab = undefined;
  sessionStorage.setItem('channel', id);
  sessionStorage.removeItem('app-tab');
  tabs.show('channel');
  if (state) draw(state);
}

/** Like Slack, tells the app of each visit; for Home, `draw` does. @param {'home' | 'messages'} tab */
function openApp(tab) {
  appTab = tab;
  atHome = tab === 'messages' ? (state?.as ?? '') : '';
  sessionStorage.setItem('app-tab', tab);
  tabs.show('channel');
  if (tab === 'messages' && state) void tell(post('/act/open-app', { as: state.as, tab }));
  if (state) draw(state);
}

/** @param {string} id */
function actAs(id) {
  sessionStorage.setItem('as', id);
  connection.open(id);
}

/** @param {string} text @param {string} after */
function fill(text, after) {
  tabs.show('channel');
  composer.fill(text, after);
}

function noteLoss() {
  if (!lost) toast(LOST);
  lost = true;
}

/** Draws nothing before the panels are loaded. @param {PageState} next */
function take(next) {
  opened ??= panels.open(next);
  void opened.then(() => show(next));
}

/** @param {PageState} next */
function show(next) {
  if (lost) {
    find('.toasts').replaceChildren();
    composer.complain('');
  }
  lost = false;
  const switched = state !== undefined && state.as !== next.as;
  state = next;
  draw(next);
  if (switched) announce(`You are ${whoAmI(next)?.name ?? ''} now, ${whoAmI(next)?.role ?? ''}.`);
  steps.stateCame(next);
}

/** The open place: the app's Home, or else a channel. `first`: the channel of **Try this**. @param {PageState} now */
function placeIn({ channels, home: homeId, app }) {
  const first = channels.find(({ id }) => id === homeId) ?? channels[0];
  const inApp = appTab !== undefined && app.tabs.includes(appTab);
  const direct = inApp && appTab === 'messages' ? channels.find(({ isWithBot }) => isWithBot) : undefined;
  const isHome = inApp && direct === undefined && app.tabs.includes('home');
  const channel = isHome ? undefined : (direct ?? channels.find(({ id }) => id === current) ?? first);
  return { first, inApp, isHome, channel };
}

/** @param {PageState} now */
function draw(now) {
  const { first, inApp, isHome, channel } = placeIn(now);
  if (isHome && appTab && atHome !== now.as) {
    atHome = now.as;
    void tell(post('/act/open-app', { as: now.as, tab: appTab }));
  }
  if (channel) unread.read(now, channel);
  const title = channel ? titleOf(channel) : isHome && now.bot.name;
  document.title = title ? `${title} · ${now.team.name}` : now.team.name;
  find('#page-title').textContent = document.title;
  busy.screenChanged(JSON.stringify([now.as, now.channels, now.views, now.app, now.bot.state]));
  tabs.update(now, panels.update(now));
  sidebar.update(now, channel?.id, inApp && now.app.tabs.includes('home'), (one) =>
    unread.isUnread(now, one),
  );
  find('#panel-channel').hidden = isHome;
  botState.update(now.bot);
  home.update(now, isHome);
  tryThis.update(now, (channel?.messages.length ?? 0) > 1);
  composer.update(now, channel);
  channelPart.update(
    now,
    channel,
    channel !== undefined && channel.id === first?.id && channel.kind !== 'im',
  );
  modals.update(now);
}

connection.open(sessionStorage.getItem('as') ?? '');
