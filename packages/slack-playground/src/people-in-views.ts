import { actOn, type Choice, clientErrors, labelOf, spotKey, spotsOf, stateAfter } from './elements.ts';
import type { Ack, DeliveryOptions } from './http-delivery.ts';
import type { Parts } from './parts.ts';
import type { Reaction } from './reactions.ts';
import { type Forgery, findSpot, idOf, needUser, type Ref, type Target } from './references.ts';
import type { ResponseUrls } from './response-urls.ts';
import { type Submitted, settleSubmission } from './submissions.ts';
import type { Json, OpenView, View } from './types.ts';
import type { Views } from './views.ts';

/** A modal by its id, or as a snapshot. */
export type ViewRef = Ref | OpenView;

/** The view. Throws if it is not open or is somebody else's, unless `forged`. */
export function needView(views: Views, given: { user: Ref; view: ViewRef } & Forgery): View {
  const { view: ref } = given;
  const id = typeof ref === 'object' && 'view' in ref ? ref.view.id : idOf(ref);
  const open = views.get(id);
  if (given.forged && !open && typeof ref === 'object') return 'view' in ref ? ref.view : (ref as View);
  if (!open) throw new Error(`The view ${id} is not open.`);
  if (!given.forged && open.user !== idOf(given.user)) throw new Error('The view is somebody else’s.');
  return open.view;
}

/** Fills in inputs: `values` names them by label, block_id or action_id. */
function fill(views: Views, view: View, values: Record<string, Choice>): View {
  const spots = spotsOf(view.blocks);
  for (const [name, value] of Object.entries(values)) {
    const names = (spot: (typeof spots)[number]) => [
      labelOf(spot),
      spot.block.block_id,
      spot.element.action_id,
    ];
    const spot = spots.find((one) => names(one).includes(name));
    const there = spots.map((one) => names(one).join('/')).join(', ');
    if (!spot) throw new Error(`There is no input "${name}". There are: ${there}.`);
    const state = stateAfter(spot.element, value);
    if (!state) throw new Error(`"${name}" cannot be filled in.`);
    views.input(view.id, spotKey(spot), state);
  }
  return views.get(view.id)?.view ?? view;
}

/** A response_url for each chosen conversation whose menu has `response_url_enabled`. */
function responseUrls(urls: ResponseUrls, view: View, user: string): Json[] {
  return spotsOf(view.blocks).flatMap(({ block, element }) => {
    const { action_id, response_url_enabled } = element as {
      action_id: string;
      response_url_enabled?: boolean;
    };
    const state = view.state.values[block.block_id]?.[action_id];
    const channel = state?.selected_conversation ?? state?.selected_channel;
    if (response_url_enabled !== true || block.type !== 'input' || typeof channel !== 'string') return [];
    const response_url = urls.issue({ user, channel });
    return [{ block_id: block.block_id, action_id, channel_id: channel, response_url }];
  });
}

/** What people do in modals and Homes. Each throws if the view is not open or is somebody else's, unless `forged`. */
export function createPeopleInViews(parts: Parts) {
  const { workspace, triggers, urls, payloads, reactions, views } = parts;

  return {
    /** Fills in a modal without sending it. */
    fill: (given: { user: Ref; view: ViewRef; values: Record<string, Choice> }): View =>
      fill(views, needView(views, given), given.values),

    /** Fills in a modal as `fill` does, and presses its submit button. */
    async submitView(
      given: { user: Ref; view: ViewRef; values?: Record<string, Choice> } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction & Submitted> {
      const user = needUser(workspace, given.user);
      const view = fill(views, needView(views, given), given.values ?? {});
      if (!given.forged && !view.submit) throw new Error('The modal has no submit button.');
      const trigger_id = triggers.issue(user.id);
      const response_urls = responseUrls(urls, view, user.id);
      const envelope = payloads.interaction('view_submission', user, { view, trigger_id, response_urls });
      const settle = (ack: Ack) => settleSubmission(parts, view, user.id, ack);
      const errand = { ...envelope, settle };
      const errors = given.forged ? {} : clientErrors(view.blocks, view.state.values);
      if (Object.keys(errors).length === 0) return reactions.send(errand, how);
      views.showErrors(view.id, errors);
      return reactions.unsent(errand, { outcome: 'not_sent', errors, toast: null });
    },

    /** Uses an element of a modal or Home: presses a button, or chooses `value`. */
    async clickInView(
      given: { user: Ref; view: ViewRef; value?: Choice } & Target & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const before = needView(views, given);
      const spot = findSpot(before.blocks, given);
      const { action, state } = actOn(spot, given.value, workspace.nextTs());
      if (state) views.input(before.id, spotKey(spot), state);
      const view = views.get(before.id)?.view ?? before;
      const trigger_id = triggers.issue(user.id);
      const fields = { ...payloads.inView(view), actions: [action], trigger_id };
      return reactions.send(payloads.interaction('block_actions', user, fields), how);
    },

    /** Types `query` into an external menu; the app's options are the acknowledgement's body. */
    async suggest(
      given: { user: Ref; view: ViewRef; query: string } & Target,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const view = needView(views, given);
      const { block, element } = findSpot(view.blocks, given);
      const { block_id } = block;
      const fields = { ...payloads.inView(view), block_id, action_id: element.action_id, value: given.query };
      return reactions.send(payloads.interaction('block_suggestion', user, fields), how);
    },

    /** Closes a modal by its button, or all by the cross. The app hears of it if the view has `notify_on_close`. */
    async closeView(
      given: { user: Ref; view: ViewRef; all?: boolean },
      how: DeliveryOptions = {},
    ): Promise<Reaction | undefined> {
      const user = needUser(workspace, given.user);
      const view = needView(views, given);
      if (view.type === 'home') throw new Error('A Home cannot be closed.');
      const is_cleared = given.all === true || view.clear_on_close;
      if (is_cleared) views.clear(user.id);
      else views.close(view.id);
      if (!view.notify_on_close) return undefined;
      return reactions.send(payloads.interaction('view_closed', user, { view, is_cleared }), how);
    },
  };
}
