/** Bounds the work of statements whose cost would grow with what members write. */
import type { Migration } from '../src/models/migrate.js';
import { searchLimits } from './0010-search-limits.js';

export const migration: Migration = {
  name: '0010-database-limits',
  up: [...searchLimits],
};
