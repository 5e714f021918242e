/** All settings. To add one, declare it in its group and map it to the configuration in src/config/index.ts. */
import type { Setting } from '../setting.js';
import { limitSettings, registrationSettings, sessionSettings } from './account.js';
import { aiSettings } from './ai.js';
import { graphqlSettings, interfaceSettings, notificationSettings, streamSettings } from './api.js';
import { mailSettings } from './mail.js';
import { socialLoginSettings, socialProviderSettings } from './oauth.js';
import { observationSettings, tracingSettings } from './observability.js';
import { passkeySettings } from './passkeys.js';
import { httpSettings, serverSettings, siteSettings } from './server.js';
import { backupSettings, databaseSettings, imageSettings } from './storage.js';

export const settings = {
  ...serverSettings.settings,
  ...httpSettings.settings,
  ...databaseSettings.settings,
  ...sessionSettings.settings,
  ...registrationSettings.settings,
  ...mailSettings.settings,
  ...socialLoginSettings.settings,
  ...passkeySettings.settings,
  ...limitSettings.settings,
  ...imageSettings.settings,
  ...backupSettings.settings,
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
  registrationSettings,
  mailSettings,
  socialLoginSettings,
  socialProviderSettings,
  passkeySettings,
  limitSettings,
  imageSettings,
  backupSettings,
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
