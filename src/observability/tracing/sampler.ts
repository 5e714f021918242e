/** Creates the sampler for a value of `OTEL_TRACES_SAMPLER`. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { TracingSettings } from '../../config/settings/observability.js';

const PARENT_BASED = 'parentbased_';

export function samplerOf({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  if (!sampler.startsWith(PARENT_BASED)) return rootSampler(sampler, ratio);
  return new ParentBasedSampler({ root: rootSampler(sampler.slice(PARENT_BASED.length), ratio) });
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
