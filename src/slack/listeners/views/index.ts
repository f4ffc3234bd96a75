import type { App } from '@slack/bolt';
import type { SlackDeps } from '../../deps.ts';
import { VIEWS } from '../../ids.ts';
import { submitLink } from './link-form.ts';
import { submitRemoveInstance } from './remove-instance.ts';
import { submitReplaceKey } from './replace-key.ts';
import { submitSend } from './send-form.ts';
import { submitSettings } from './settings-form.ts';

export function registerViews(app: App, deps: SlackDeps): void {
  app.view(VIEWS.sendForm, submitSend(deps));
  app.view(VIEWS.linkForm, submitLink(deps));
  app.view(VIEWS.settingsForm, submitSettings(deps));
  app.view(VIEWS.replaceKeyForm, submitReplaceKey(deps));
  app.view(VIEWS.removeInstanceForm, submitRemoveInstance(deps));
}
