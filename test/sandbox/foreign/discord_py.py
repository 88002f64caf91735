import io
import os

import discord
import yarl
from discord import app_commands

discord.http.Route.BASE = os.environ["API"] + "/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(os.environ["GATEWAY"])
CHART = b"low 06:12\nhigh 12:30\n"

intents = discord.Intents.default()
intents.message_content = True
client = discord.Client(intents=intents)
tree = app_commands.CommandTree(client)


class Choice(discord.ui.View):
    @discord.ui.button(label="Agree", custom_id="agree")
    async def agree(self, interaction, button):
        await interaction.response.edit_message(content="Agreed", view=None)


@tree.command(description="Adds two numbers")
async def add(interaction: discord.Interaction, first: int, second: int):
    await interaction.response.send_message(str(first + second))


@client.event
async def on_ready():
    await tree.sync()
    print("ready", flush=True)


@client.event
async def on_message(message):
    if message.author.bot:
        return
    match message.content:
        case "ping":
            await message.reply("pong")
        case "button":
            await message.channel.send("Do you agree?", view=Choice())
        case "thread":
            thread = await message.create_thread(name="Aside")
            await thread.send("In the thread")
        case "react":
            await message.add_reaction("👍")
        case "file":
            await message.channel.send(file=discord.File(io.BytesIO(CHART), filename="tides.txt"))
        case "read":
            text = (await message.attachments[0].read()).decode()
            await message.reply(f"I read: {text}")


@client.event
async def on_raw_reaction_add(payload):
    if payload.user_id != client.user.id:
        channel = client.get_channel(payload.channel_id)
        await channel.send(f"{payload.user_id} reacted with {payload.emoji.name}")


client.run(os.environ["TOKEN"])
