import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const Shortcut = z.object({
  name: z.string(),
  type: z.enum(['global', 'message']),
  callback_id: z.string(),
  description: z.string().default(''),
});

/** The parts of an app's manifest that the workspace obeys. Source: docs.slack.dev/reference/app-manifest. */
const Manifest = z.object({
  features: z
    .object({
      app_home: z
        .object({
          home_tab_enabled: z.boolean().default(false),
          messages_tab_enabled: z.boolean().default(true),
        })
        .prefault({}),
      shortcuts: z.array(Shortcut).max(10).default([]),
    })
    .prefault({}),
  settings: z
    .object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()).default([]) }).prefault({}),
    })
    .prefault({}),
});

/** A shortcut of the app's menus. */
export type Shortcut = z.infer<typeof Shortcut>;

/** The features that the app has turned on. */
export interface AppFeatures {
  home: boolean;
  messages: boolean;
  /** The shortcuts of the manifest. Undefined without a manifest: people may start any shortcut, no menu lists one. */
  shortcuts: readonly Shortcut[] | undefined;
  /** Whether the app subscribes to this event. */
  hears(event: string): boolean;
}

/** An app without a manifest: all features are on. */
export const ALL_FEATURES: AppFeatures = {
  home: true,
  messages: true,
  shortcuts: undefined,
  hears: () => true,
};

/** The features that a manifest turns on. Throws a ZodError if it is not a manifest. */
export function featuresOf(manifest: unknown): AppFeatures {
  const { features, settings } = Manifest.parse(manifest);
  return {
    home: features.app_home.home_tab_enabled,
    messages: features.app_home.messages_tab_enabled,
    shortcuts: features.shortcuts,
    hears: (event) => settings.event_subscriptions.bot_events.includes(event),
  };
}

/** The manifest in a file of YAML or JSON. Throws what the file system or the parser throws. */
export const readManifest = (file: string | URL): unknown => parse(readFileSync(file, 'utf8'));
