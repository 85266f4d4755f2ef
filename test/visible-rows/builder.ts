import SchemaBuilder from '@pothos/core';
import type { Caller } from '@store-gateway/access';
import { isJsonObject } from '@store-gateway/ops';
import { builderOptions, type BuilderTypes } from '@store-gateway/gateway/schema';
import type { Design } from './design.ts';
import type { DatabaseFor, Leaking } from './leaks.ts';
import { models } from './generated/batched-models.ts';
import type { PrismaClient } from './generated/client.ts';
import type PrismaTypes from './generated/pothos.ts';
import { getDatamodel } from './generated/pothos.ts';
import { whereOf } from './rules.ts';
import type { Model } from './tables.ts';

export function newBuilder() {
  return new SchemaBuilder<BuilderTypes<PrismaClient, PrismaTypes>>(
    builderOptions(models, getDatamodel()),
  );
}

export type Builder = ReturnType<typeof newBuilder>;

/** What the types of a schema are made with. */
export interface SchemaParts {
  readonly builder: Builder;
  readonly design: Design;
  readonly leaking: Leaking | undefined;
  readonly by: DatabaseFor;
}

/** The options of a type, by its rule. */
export function ruleOf({ rules }: Design, model: Model) {
  const rule = rules[model];
  if (rule === null) {
    return {};
  }
  const { columns, answers } = rule;
  const where = ({ caller }: { readonly caller: Caller }): unknown =>
    whereOf(answers[nameOf(caller)]);
  return { visible: { columns, where } };
}

/** As the test's authentication names them. */
export function nameOf({ claims }: Caller): string {
  const name = isJsonObject(claims) ? claims['name'] : undefined;
  return typeof name === 'string' ? name : 'nobody';
}
