/** All settings. To add one, declare it in its group and map it to the configuration in src/platform/config/index.ts. */
import type { Setting } from '../setting.js';
import { limitSettings, registrationSettings, sessionSettings } from './account.js';
import { aiSettings } from './ai.js';
import {
  changeSettings,
  commentSettings,
  graphqlSettings,
  interfaceSettings,
  notificationSettings,
  streamSettings,
  webhookSettings,
  writingSettings,
} from './api.js';
import { mailSettings } from './mail.js';
import { socialLoginSettings, socialProviderSettings } from './oauth.js';
import { observationSettings, tracingSettings } from './observability.js';
import { passkeySettings } from './passkeys.js';
import { httpSettings, serverSettings, siteSettings } from './server.js';
import { backupSettings, databaseSettings, imageSettings } from './storage.js';

const groups = [
  serverSettings,
  httpSettings,
  databaseSettings,
  sessionSettings,
  registrationSettings,
  mailSettings,
  socialLoginSettings,
  passkeySettings,
  limitSettings,
  imageSettings,
  backupSettings,
  aiSettings,
  writingSettings,
  commentSettings,
  notificationSettings,
  changeSettings,
  webhookSettings,
  streamSettings,
  interfaceSettings,
  graphqlSettings,
  siteSettings,
  observationSettings,
  tracingSettings,
] as const;

/** The groups of docs/configuration.md, in its order. The names of the settings of login providers contain that of the provider. */
export const settingGroups = groups.flatMap((each) =>
  each === socialLoginSettings ? [each, socialProviderSettings] : [each],
);

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

export const settings: Intersection<(typeof groups)[number]['settings']> = Object.assign(
  {},
  ...groups.map((each) => each.settings),
);

/** The parsed values of the settings. */
export type Settings = { readonly [Name in keyof typeof settings]: ValueOf<(typeof settings)[Name]> };

type ValueOf<Declared> = Declared extends Setting<infer Value> ? Value : never;
