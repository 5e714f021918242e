/** All settings. To add one, declare it in its group and map it to the configuration in src/config/index.ts. */
import type { Setting } from '../values.js';
import { limitSettings, sessionSettings, socialLoginSettings, socialProviderSettings } from './account.js';
import { aiSettings } from './ai.js';
import { databaseSettings } from './database.js';
import { graphqlSettings } from './graphql.js';
import { imageSettings } from './image.js';
import { notificationSettings } from './notification.js';
import { observationSettings } from './observation.js';
import { httpSettings, interfaceSettings, serverSettings } from './server.js';
import { siteSettings } from './site.js';
import { streamSettings } from './stream.js';
import { tracingSettings } from './tracing.js';

export const settings = {
  ...serverSettings.settings,
  ...httpSettings.settings,
  ...databaseSettings.settings,
  ...sessionSettings.settings,
  ...socialLoginSettings.settings,
  ...limitSettings.settings,
  ...imageSettings.settings,
  ...aiSettings.settings,
  ...notificationSettings.settings,
  ...streamSettings.settings,
  ...interfaceSettings.settings,
  ...graphqlSettings.settings,
  ...siteSettings.settings,
  ...observationSettings.settings,
  ...tracingSettings.settings,
};

/** The groups of docs/configuration.md, in its order. */
export const settingGroups = [
  serverSettings,
  httpSettings,
  databaseSettings,
  sessionSettings,
  socialLoginSettings,
  socialProviderSettings,
  limitSettings,
  imageSettings,
  aiSettings,
  notificationSettings,
  streamSettings,
  interfaceSettings,
  graphqlSettings,
  siteSettings,
  observationSettings,
  tracingSettings,
];

/** The parsed values of the settings. */
export type Settings = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> };

type ValueOf<Declared> = Declared extends Setting<infer Value> ? Value : never;
