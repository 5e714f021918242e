/** Groups of settings: the sections of docs/configuration.md. */
import type { Declaration } from '../values.js';

/** A setting of any type. */
type AnySetting = { readonly declared: Declaration };

export interface SettingGroup<Settings extends Record<string, AnySetting>> {
  readonly title: string;
  readonly settings: Settings;
}

export function group<Settings extends Record<string, AnySetting>>(
  title: string,
  settings: Settings,
): SettingGroup<Settings> {
  return { title, settings };
}
