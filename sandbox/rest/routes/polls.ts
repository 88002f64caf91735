import { z } from "zod";
import { requireMessage, requirePlace } from "../../actions/access.ts";
import { unknownMessage } from "../../actions/errors.ts";
import { endPoll } from "../../actions/polls.ts";
import { toApiUserById } from "../../render/users.ts";
import { compareIds } from "../../world/snowflake.ts";
import { parse, parseQuery, queryInteger, snowflake } from "../parse.ts";
import { route } from "../route.ts";
import { showMessage } from "../show-message.ts";

const votersQuery = z.object({ limit: queryInteger(1, 100).default(25), after: snowflake.optional() });

export const pollRoutes = [
  route("GET", "/channels/{channel_id}/polls/{message_id}/answers/{answer_id}", ({ world, actor, param, query }) => {
    const { limit, after } = parseQuery(votersQuery, query);
    const answerId = parse(queryInteger(1, 10), param("answer_id"));
    const message = requireMessage(requirePlace(world, actor, param("channel_id")), param("message_id"));
    if (!message.more?.poll) throw unknownMessage();
    const voters = [...(message.more.poll.votes.get(answerId) ?? [])].sort(compareIds);
    const page = voters.filter((id) => after === undefined || compareIds(id, after) > 0).slice(0, limit);
    return { users: page.map((id) => toApiUserById(world, id)) };
  }),
  route("POST", "/channels/{channel_id}/polls/{message_id}/expire", ({ world, application, actor, param }) => {
    const address = { channelId: param("channel_id"), messageId: param("message_id") };
    return showMessage(world, application, endPoll(world, actor, address));
  }),
];
