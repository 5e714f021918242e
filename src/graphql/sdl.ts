/** The schema as text in the schema definition language. */
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';

/** Sorted, so that it is the same for the same types. */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
