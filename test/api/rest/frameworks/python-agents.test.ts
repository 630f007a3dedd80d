import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayBeMissing } from '../../../harness/tool-paths.ts';
import { modelNames, SCHEMA_MODEL, startRecordedModels, type RecordedModels } from './recorded-models.ts';

const run = promisify(execFile);
const { SLUICE_TEST_PYTHON: python } = process.env;

const program = `
import asyncio, json, sys
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel

url, key, api, schema_model, *models = sys.argv[1:]
set_tracing_disabled(True)
client = AsyncOpenAI(base_url=url + "/v1", api_key=key, max_retries=0)
kind = {"responses": OpenAIResponsesModel, "chat": OpenAIChatCompletionsModel}[api]

class Place(BaseModel):
    location: str

asked = []

@function_tool
def weather(location: str) -> str:
    asked.append(location)
    return "It is sunny in " + location + "."

async def outputs(name):
    def agent(**more):
        return Agent(name="Forecaster", instructions="Be brief.", model=kind(model=name, openai_client=client), **more)
    plain = (await Runner.run(agent(), "Hello")).final_output
    streamed = Runner.run_streamed(agent(), "Hello")
    deltas = [event.data.delta async for event in streamed.stream_events()
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"]
    called = await Runner.run(agent(tools=[weather]), "The weather?")
    calling = Runner.run_streamed(agent(tools=[weather]), "The weather?")
    async for event in calling.stream_events():
        pass
    return [plain, "".join(deltas), streamed.final_output, called.final_output, calling.final_output]

async def main():
    results = [await outputs(name) for name in models]
    finder = Agent(name="Finder", model=kind(model=schema_model, openai_client=client), output_type=Place)
    place = (await Runner.run(finder, "A place")).final_output
    print(json.dumps({"results": results, "asked": asked, "place": type(place).__name__}))

asyncio.run(main())
`;

let models: RecordedModels;

beforeAll(async () => {
  models = await startRecordedModels();
});

afterAll(() => models.close());

describe.skipIf(!python && mayBeMissing)('OpenAI’s Agents SDK for Python', () => {
  it.each(['responses', 'chat'])(
    'generates, streams, calls tools and reads objects with each model, over %s',
    async (api) => {
      const { url, apiKey } = models.server;
      const { stdout } = await run(python ?? 'python3', ['-c', program, url, apiKey, api, SCHEMA_MODEL, ...modelNames]);
      const { results, asked, place } = JSON.parse(stdout);
      const expected = modelNames.map((model) => {
        const [whole, streamed] = [models.textOf(model, false), models.textOf(model, true)];
        return [whole, streamed, streamed, whole, streamed];
      });
      expect(results.map((texts: readonly string[]) => texts.map((text) => text.trim()))).toEqual(expected);
      // Each model calls it twice.
      expect(asked).toEqual(modelNames.flatMap(() => ['San Francisco', 'San Francisco']));
      expect(place).toBe('Place');
    },
  );
});
