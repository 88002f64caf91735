import io
import os

import disnake
from disnake.ext import commands

disnake.http.Route.BASE = os.environ["API"] + "/v10"
CHART = b"low 06:12\nhigh 12:30\n"

intents = disnake.Intents.default()
intents.message_content = True
bot = commands.InteractionBot(intents=intents)


@bot.slash_command(description="Adds two numbers")
async def add(interaction: disnake.ApplicationCommandInteraction, first: int, second: int):
    await interaction.response.send_message(str(first + second))


@bot.event
async def on_ready():
    print("ready", flush=True)


@bot.event
async def on_message(message):
    if message.author.bot:
        return
    match message.content:
        case "ping":
            await message.reply("pong")
        case "button":
            await message.channel.send("Do you agree?", components=[disnake.ui.Button(label="Agree", custom_id="agree")])
        case "thread":
            thread = await message.create_thread(name="Aside", auto_archive_duration=60)
            await thread.send("In the thread")
        case "react":
            await message.add_reaction("👍")
        case "file":
            await message.channel.send(file=disnake.File(io.BytesIO(CHART), filename="tides.txt"))
        case "read":
            text = (await message.attachments[0].read()).decode()
            await message.reply(f"I read: {text}")


@bot.event
async def on_button_click(interaction):
    await interaction.response.edit_message(content="Agreed", components=[])


@bot.event
async def on_raw_reaction_add(payload):
    if payload.user_id != bot.user.id:
        channel = bot.get_channel(payload.channel_id)
        await channel.send(f"{payload.user_id} reacted with {payload.emoji.name}")


bot.run(os.environ["TOKEN"])
