print("pkg init")
