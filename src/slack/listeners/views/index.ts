import type { App, ViewSubmitAction } from '@slack/bolt';
import { apologyView } from '../../apology.ts';
import type { SlackDeps } from '../../deps.ts';
import { VIEWS } from '../../ids.ts';
import { ofRequest } from '../../of-request.ts';
import { placeOf } from '../../place-of.ts';
import type { Workspaces } from '../../workspaces.ts';
import type { ViewHandler } from './submission.ts';
import { submitBulk } from './submit-bulk.ts';
import { submitReplaceKey } from './submit-key.ts';
import { submitLink } from './submit-link.ts';
import { submitRemoveInstance } from './submit-removal.ts';
import { submitSend } from './submit-send.ts';
import { submitSettings } from './submit-settings.ts';

/** Forms, by callback id. */
const FORMS: { [callbackId: string]: (deps: SlackDeps) => ViewHandler } = {
  [VIEWS.sendForm]: submitSend,
  [VIEWS.bulkForm]: submitBulk,
  [VIEWS.linkForm]: submitLink,
  [VIEWS.settingsForm]: submitSettings,
  [VIEWS.replaceKeyForm]: submitReplaceKey,
  [VIEWS.removeInstanceForm]: submitRemoveInstance,
};

export function registerViews(app: App, workspaces: Workspaces): void {
  for (const [callbackId, handler] of Object.entries(FORMS)) {
    app.view<ViewSubmitAction>(callbackId, async (args) => {
      let own: SlackDeps;
      try {
        own = ofRequest(await workspaces.at(placeOf(args.body)));
      } catch (error) {
        const view = apologyView(workspaces.outside, error, 'Sorry');
        return args.ack({ response_action: 'update', view });
      }
      own.log.info({ form: callbackId }, 'a form was submitted');
      await handler(own)(args);
    });
  }
}
