/** Texts without metadata. */
import { METADATA_NAMES, type MetadataRow } from '../../src/models/article/metadata.js';

export const NO_METADATA = Object.fromEntries(METADATA_NAMES.map((name) => [name, null])) as unknown as MetadataRow;
