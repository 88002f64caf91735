"""A small bot as people write them with discord.py. Prints a line of JSON for each step, for the test that runs it.

Takes the addresses and the token from the environment: SANDBOX_API, SANDBOX_GATEWAY, SANDBOX_TOKEN.
"""

import io
import json
import os

import discord
import yarl
from discord import app_commands

discord.http.Route.BASE = os.environ["SANDBOX_API"] + "/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["SANDBOX_GATEWAY"])


def tell(step, **more):
    print(json.dumps({"step": step, **more}), flush=True)


class Greeting(discord.ui.Modal, title="Tell us"):
    story = discord.ui.TextInput(label="Story")

    async def on_submit(self, interaction):
        await interaction.response.send_message(f"Noted: {self.story.value}", ephemeral=True)


class Choice(discord.ui.View):
    @discord.ui.button(label="Agree", style=discord.ButtonStyle.primary)
    async def agree(self, interaction, button):
        button.disabled = True
        await interaction.response.edit_message(content="Agreed", view=self)

    @discord.ui.button(label="Tell more")
    async def tell_more(self, interaction, button):
        await interaction.response.send_modal(Greeting())


intents = discord.Intents.default()
intents.message_content = True
intents.members = True


class Bot(discord.Client):
    def __init__(self):
        super().__init__(intents=intents)
        self.tree = app_commands.CommandTree(self)

    async def setup_hook(self):
        await self.tree.sync()

    async def on_ready(self):
        tell("ready", name=self.user.name, members=[guild.member_count for guild in self.guilds])

    async def on_message(self, message):
        if message.author.bot:
            return
        answer = ANSWERS.get(message.content)
        if answer:
            try:
                await answer(message)
            except Exception as error:
                tell("failed", error=repr(error))

    async def on_message_edit(self, before, after):
        tell("edited", before=before.content, after=after.content)

    async def on_reaction_add(self, reaction, user):
        tell("reaction", emoji=str(reaction.emoji), by=user.name)


async def reply(message):
    nobody = discord.AllowedMentions(everyone=False, users=[message.author], roles=False, replied_user=False)
    await message.reply(f"pong {message.author.mention}", allowed_mentions=nobody)


async def members(message):
    by_request = await message.guild.query_members(user_ids=[message.author.id])
    fetched = await message.guild.fetch_member(message.author.id)
    # discord.py lists each page backwards.
    listed = [member.name async for member in message.guild.fetch_members()]
    tell(
        "members",
        by_request=[str(member.id) for member in by_request],
        fetched=fetched.display_name,
        listed=sorted(listed),
        cached=len(message.guild.members),
    )
    await message.channel.send(f"{len(listed)} members")


async def thread(message):
    opened = await message.create_thread(name="Aside")
    await opened.send("In the thread")
    await opened.edit(archived=True)


async def file(message):
    chart = discord.File(io.BytesIO(b"low 06:12\nhigh 12:30\n"), filename="tides.txt", description="Tides")
    embed = discord.Embed(title="Tides").set_footer(text="today")
    sent = await message.channel.send("The tides", file=chart, embed=embed)
    tell("file", text=(await sent.attachments[0].read()).decode())


async def view(message):
    await message.channel.send("Do you agree?", view=Choice())


async def history(message):
    texts = [one.content async for one in message.channel.history(limit=5)]
    await message.add_reaction("👍")
    tell("history", texts=texts)


async def mistake(message):
    try:
        await message.guild.fetch_member(1)
    except discord.NotFound as error:
        tell("mistake", status=error.status, code=error.code)


ANSWERS = {
    "ping": reply,
    "members": members,
    "thread": thread,
    "file": file,
    "view": view,
    "history": history,
    "mistake": mistake,
}

bot = Bot()


@bot.tree.command(description="Adds two numbers")
async def add(interaction, first: int, second: int, who: discord.Member = None):
    await interaction.response.defer()
    await interaction.followup.send(f"{first + second} for {who.display_name if who else 'all'}")


@bot.tree.command(description="Asks for a story")
async def story(interaction):
    await interaction.response.send_modal(Greeting())


bot.run(os.environ["SANDBOX_TOKEN"])
