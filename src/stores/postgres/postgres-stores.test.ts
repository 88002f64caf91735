import { describeOnPostgres, postgresFixture } from "../../../test/support/postgres.ts";
import { describeAnswerStore } from "../answer-store.suite.ts";
import { createAnswerStore } from "../answer-store.ts";
import { describeAuditStore } from "../audit-store.suite.ts";
import { createAuditStore } from "../audit-store.ts";
import { describeBotTurnStore } from "../bot-turn-store.suite.ts";
import { createBotTurnStore } from "../bot-turn-store.ts";
import { describeEpisodeStore } from "../episode-store.suite.ts";
import { createEpisodeStore } from "../episode-store.ts";
import { describeFactStore } from "../fact-store.suite.ts";
import { createFactStore } from "../fact-store.ts";
import { describeOptOutStore } from "../opt-out-store.suite.ts";
import { createOptOutStore } from "../opt-out-store.ts";
import { describeSpendStore } from "../spend-store.suite.ts";
import { createSpendStore } from "../spend-store.ts";

describeOnPostgres("the stores", (schema) => {
  describeAuditStore("PostgreSQL", postgresFixture(schema, createAuditStore));
  describeFactStore("PostgreSQL", postgresFixture(schema, createFactStore));
  describeOptOutStore("PostgreSQL", postgresFixture(schema, createOptOutStore));
  describeAnswerStore("PostgreSQL", postgresFixture(schema, createAnswerStore));
  describeEpisodeStore("PostgreSQL", postgresFixture(schema, createEpisodeStore));
  describeBotTurnStore("PostgreSQL", postgresFixture(schema, createBotTurnStore));
  describeSpendStore("PostgreSQL", postgresFixture(schema, createSpendStore));
});
