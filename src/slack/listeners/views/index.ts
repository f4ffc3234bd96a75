import type { App } from '@slack/bolt';
import type { SlackDeps } from '../../deps.ts';
import { VIEWS } from '../../ids.ts';
import { submitBulk } from './submit-bulk.ts';
import { submitReplaceKey } from './submit-key.ts';
import { submitLink } from './submit-link.ts';
import { submitRemoveInstance } from './submit-removal.ts';
import { submitSend } from './submit-send.ts';
import { submitSettings } from './submit-settings.ts';

export function registerViews(app: App, deps: SlackDeps): void {
  app.view(VIEWS.sendForm, submitSend(deps));
  app.view(VIEWS.bulkForm, submitBulk(deps));
  app.view(VIEWS.linkForm, submitLink(deps));
  app.view(VIEWS.settingsForm, submitSettings(deps));
  app.view(VIEWS.replaceKeyForm, submitReplaceKey(deps));
  app.view(VIEWS.removeInstanceForm, submitRemoveInstance(deps));
}
